import { DecodeError } from '../errors';
import { BinaryReader } from '../reader';
import { BinaryWriter } from '../writer';
import { ExtraTag, POW_NONCE_SIZE } from './tags';

/** A field of extra; `unknown` is the rest after the last valid field. */
export type ExtraField =
  | { readonly type: 'padding'; readonly size: number }
  | { readonly type: 'publicKey'; readonly key: Buffer }
  | { readonly type: 'nonce'; readonly nonce: Buffer }
  | { readonly type: 'mergeMining'; readonly depth: bigint; readonly root: Buffer }
  | { readonly type: 'powNonce'; readonly nonce: Buffer }
  | { readonly type: 'unknown'; readonly bytes: Buffer };

function readMergeMining(reader: BinaryReader): ExtraField {
  const field = new BinaryReader(reader.bytes(reader.count(1, 'bytes')));
  const depth = field.varint();
  const root = field.hash();
  field.done();
  return { type: 'mergeMining', depth, root };
}

function readPadding(reader: BinaryReader): ExtraField {
  let size = 1;
  for (; reader.buffer[reader.offset] === 0; size++) reader.offset++;
  return { type: 'padding', size };
}

function readField(reader: BinaryReader): ExtraField {
  switch (reader.byte()) {
    case ExtraTag.padding:
      return readPadding(reader);
    case ExtraTag.publicKey:
      return { type: 'publicKey', key: reader.hash() };
    case ExtraTag.nonce:
      return { type: 'nonce', nonce: reader.bytes(reader.byte()) };
    case ExtraTag.mergeMining:
      return readMergeMining(reader);
    case ExtraTag.powNonce:
      return { type: 'powNonce', nonce: reader.bytes(POW_NONCE_SIZE) };
    default:
      throw new DecodeError('unknown field of extra');
  }
}

/** All fields of extra in order: `encodeExtraFields` returns the same bytes. The fields are views. */
export function parseExtraFields(extra: Uint8Array): ExtraField[] {
  const reader = new BinaryReader(extra);
  const fields: ExtraField[] = [];
  while (reader.remaining > 0) {
    const start = reader.offset;
    try {
      fields.push(readField(reader));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      fields.push({ type: 'unknown', bytes: reader.buffer.subarray(start) });
      break;
    }
  }
  return fields;
}

function writeMergeMining(writer: BinaryWriter, depth: bigint, root: Uint8Array): void {
  const body = new BinaryWriter(48).varint(depth).hash(root).toBuffer();
  writer.byte(ExtraTag.mergeMining).varint(body.length).bytes(body);
}

function writeField(writer: BinaryWriter, field: ExtraField): void {
  switch (field.type) {
    case 'padding':
      writer.bytes(Buffer.alloc(field.size));
      break;
    case 'publicKey':
      writer.byte(ExtraTag.publicKey).hash(field.key);
      break;
    case 'nonce':
      // The daemon's reader supports only one length byte.
      if (field.nonce.length > 255) throw new RangeError('a nonce has at most 255 bytes');
      writer.byte(ExtraTag.nonce).byte(field.nonce.length).bytes(field.nonce);
      break;
    case 'mergeMining':
      writeMergeMining(writer, field.depth, field.root);
      break;
    case 'powNonce':
      if (field.nonce.length !== POW_NONCE_SIZE) throw new RangeError('a proof-of-work nonce has 8 bytes');
      writer.byte(ExtraTag.powNonce).bytes(field.nonce);
      break;
    case 'unknown':
      writer.bytes(field.bytes);
      break;
  }
}

/** Encodes fields in their order. @throws RangeError for a part of the wrong size */
export function encodeExtraFields(fields: readonly ExtraField[]): Buffer {
  const writer = new BinaryWriter(96);
  for (const field of fields) writeField(writer, field);
  return writer.toBuffer();
}
