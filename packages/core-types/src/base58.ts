import { cnFastHash } from '@wrkz/crypto';
import { BinaryReader, DecodeError } from './reader';
import { encodeVarint } from './varint';

/*
 * CryptoNote's base58 (docs/protocol/wallet.md#base58): blocks of 8 bytes, each a big-endian number of fixed width, so
 * the length of a text follows from the length of the bytes alone.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BLOCK_SIZE = 8;
const ENCODED_BLOCK_SIZE = 11;
/** Characters of a block of 0 to 8 bytes. */
const ENCODED_SIZES = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const CHECKSUM_SIZE = 4;

function encodeBlock(block: Uint8Array): string {
  let value = 0n;
  for (const byte of block) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let left = ENCODED_SIZES[block.length] ?? 0; left > 0; left--) {
    text = ALPHABET.charAt(Number(value % 58n)) + text;
    value /= 58n;
  }
  return text;
}

function decodeBlock(text: string): Buffer {
  const size = ENCODED_SIZES.indexOf(text.length);
  if (size < 0) throw new DecodeError('base58 text with an impossible length');
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) throw new DecodeError('character outside of the base58 alphabet');
    value = value * 58n + BigInt(digit);
  }
  if (value >> BigInt(8 * size) !== 0n) throw new DecodeError('base58 block overflow');
  const block = Buffer.alloc(size);
  for (let i = size - 1; i >= 0; i--, value >>= 8n) block[i] = Number(value & 0xffn);
  return block;
}

/** The base58 text of some bytes. */
export function encodeBase58(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += BLOCK_SIZE) text += encodeBlock(bytes.subarray(i, i + BLOCK_SIZE));
  return text;
}

/** The bytes of a base58 text. @throws DecodeError for an invalid character, an impossible length or an overflow of a block */
export function decodeBase58(text: string): Buffer {
  const blocks: Buffer[] = [];
  for (let i = 0; i < text.length; i += ENCODED_BLOCK_SIZE) {
    blocks.push(decodeBlock(text.slice(i, i + ENCODED_BLOCK_SIZE)));
  }
  return Buffer.concat(blocks);
}

/** Encodes a tag and data: base58 of the tag (varint), the data and four bytes of their hash. */
export function encodeTagged(tag: bigint, data: Uint8Array): string {
  const body = Buffer.concat([encodeVarint(tag), data]);
  return encodeBase58(Buffer.concat([body, cnFastHash(body).subarray(0, CHECKSUM_SIZE)]));
}

/** Decodes the text of `encodeTagged`. @throws DecodeError for a wrong checksum or an invalid text */
export function decodeTagged(text: string): { tag: bigint; data: Buffer } {
  const bytes = decodeBase58(text);
  if (bytes.length <= CHECKSUM_SIZE) throw new DecodeError('too short for a checksum');
  const body = bytes.subarray(0, -CHECKSUM_SIZE);
  if (!cnFastHash(body).subarray(0, CHECKSUM_SIZE).equals(bytes.subarray(-CHECKSUM_SIZE))) {
    throw new DecodeError('wrong checksum');
  }
  const reader = new BinaryReader(body);
  return { tag: reader.varint(), data: reader.bytes(reader.remaining) };
}
