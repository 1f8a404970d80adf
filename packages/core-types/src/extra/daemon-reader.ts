import { BinaryReader, DecodeError } from '../reader';
import { ExtraTag, MAX_PADDING } from './tags';

/** The commitment of a merge-mining parent: the root, and the number of hashes from a block of this chain to it. */
export interface MergeMiningTag {
  readonly depth: bigint;
  readonly root: Buffer;
}

/** Views of the extra; `parseOk` is false if a field cannot be parsed. */
export interface ParsedExtra {
  readonly publicKey?: Buffer;
  /** Without tag and length. */
  readonly nonce?: Buffer;
  readonly mergeMiningTag?: MergeMiningTag;
  /** 64 hex characters if everything was parsed and the nonce is exactly a plain payment id, else ''. */
  readonly paymentId: string;
  readonly parseOk: boolean;
}

function skipPadding(reader: BinaryReader): void {
  if (reader.remaining >= MAX_PADDING) throw new DecodeError('padding too long');
  while (reader.remaining > 0) {
    if (reader.byte() !== 0) throw new DecodeError('padding that is not zero');
  }
}

function readMergeMiningTag(reader: BinaryReader): MergeMiningTag {
  const field = new BinaryReader(reader.bytes(reader.count(1, 'bytes')));
  return { depth: field.varint(), root: field.hash() };
}

/** A nonce that is a plain payment id and nothing else. */
function paymentIdOf(nonce: Buffer | undefined): string {
  return nonce?.length === 33 && nonce[0] === 0 ? nonce.toString('hex', 1) : '';
}

/**
 * Extra as the daemon reads it, which decides what a merge-mining parent commits to
 * (docs/protocol/transactions.md#daemon-reader-of-extra): field after field; a second public key or nonce ends it; the
 * bytes of a second merge-mining tag and of unknown tags are skipped one by one; an invalid field ends it with the fields
 * so far.
 */
export function parseExtra(extra: Uint8Array): ParsedExtra {
  const reader = new BinaryReader(extra);
  const found: { publicKey?: Buffer; nonce?: Buffer; mergeMiningTag?: MergeMiningTag } = {};
  let sawMergeMining = false;
  let parseOk = true;
  try {
    reading: while (reader.remaining > 0) {
      switch (reader.byte()) {
        case ExtraTag.padding:
          skipPadding(reader);
          break;
        case ExtraTag.publicKey:
          if (found.publicKey !== undefined) break reading;
          found.publicKey = reader.hash();
          break;
        case ExtraTag.nonce:
          if (found.nonce !== undefined) break reading;
          found.nonce = reader.bytes(reader.byte());
          break;
        case ExtraTag.mergeMining:
          if (sawMergeMining) break;
          sawMergeMining = true;
          found.mergeMiningTag = readMergeMiningTag(reader);
          break;
      }
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    parseOk = false;
  }
  return { ...found, paymentId: parseOk ? paymentIdOf(found.nonce) : '', parseOk };
}
