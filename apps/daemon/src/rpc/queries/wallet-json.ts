import { CorruptDatabase } from '@wrkz/chain-db';
import { findWalletExtra } from '@wrkz/core-types';
import { type JsonBuffer, piece } from './json-buffer';
import type { MainChainBlock } from './sync-blocks';

export type WalletEncoding = 'hex' | 'base64';

export interface WalletJsonOptions {
  readonly encoding: WalletEncoding;
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
}

const BLOCK = piece('{"blockHash":"');
const HEIGHT = piece('","blockHeight":');
const TIMESTAMP = piece(',"blockTimestamp":');
const COINBASE = piece(',"coinbaseTX":{');
const TRANSACTIONS = piece(',"transactions":[');
const HASH = piece('"hash":"');
const OUTPUTS = piece('","outputs":[');
const AMOUNT = piece('{"amount":');
const KEY = piece(',"key":"');
const PUBLIC_KEY = piece('],"txPublicKey":"');
const UNLOCK_TIME = piece('","unlockTime":');
const INPUTS = piece(',"inputs":[');
const KEY_IMAGE = piece(',"k_image":"');
const OFFSETS = piece('","key_offsets":[');
const PAYMENT_ID = piece('],"paymentID":"');
const COMMA = piece(',');
const OPEN = piece('{');
const NEXT = piece(',{');
const CLOSE = piece('}');
const END_LIST = piece(']}');
const END_TEXT = piece('"}');
const NOTHING = piece('{}');

const NO_KEY = Buffer.alloc(32);
const BASE_INPUT_TAG = 0xff;
const KEY_TAG = 0x02;

/**
 * Writes the parts of blocks that wallets scan as JSON, directly from stored prefixes and hashes, without objects or bigints
 * (docs/protocol/lessons.md#hashing-known-data).
 */
export class WalletJson {
  constructor(
    private readonly out: JsonBuffer,
    private readonly options: WalletJsonOptions,
  ) {}

  /** Writes one block. @throws CorruptDatabase */
  block(block: MainChainBlock): void {
    const { out, options } = this;
    const { hash, height, timestamp } = block.stamp;
    this.key(out.put(BLOCK), hash, 0);
    out.put(HEIGHT).unsigned(height).put(TIMESTAMP).unsigned(timestamp);
    const { hashes, prefixes } = options.skipCoinbase ? block.transfers() : block.transactions();
    let next = 0;
    if (!options.skipCoinbase) {
      out.put(COINBASE);
      this.transaction(hashes[0] as Buffer, prefixes[0] as Buffer, true);
      out.put(CLOSE);
      next = 1;
    }
    out.put(TRANSACTIONS);
    for (let i = next; i < hashes.length; i++) {
      out.put(i === next ? OPEN : NEXT);
      this.transaction(hashes[i] as Buffer, prefixes[i] as Buffer, false);
      out.put(END_TEXT);
    }
    out.put(END_LIST);
  }

  private transaction(hash: Buffer, prefix: Buffer, isCoinbase: boolean): void {
    const { out } = this;
    const cursor = new PrefixCursor(prefix);
    try {
      cursor.skipVarint();
      const unlockTime = cursor.at;
      cursor.skipVarint();
      const inputs = cursor.at;
      this.skipInputs(cursor);
      this.key(out.put(HASH), hash, 0);
      this.outputs(cursor);
      const size = cursor.count();
      const extra = findWalletExtra(prefix, cursor.at, cursor.skip(size));
      out.put(PUBLIC_KEY);
      if (extra.publicKey < 0) this.key(out, NO_KEY, 0);
      else this.key(out, prefix, extra.publicKey);
      cursor.at = unlockTime;
      cursor.writeVarint(out.put(UNLOCK_TIME));
      if (isCoinbase) return;
      cursor.at = inputs;
      this.inputs(cursor);
      out.put(PAYMENT_ID);
      if (extra.paymentId >= 0) out.hex(prefix, extra.paymentId, extra.paymentId + extra.paymentIdSize);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new CorruptDatabase(`transaction ${hash.toString('hex')} cannot be read: ${error.message}`);
    }
  }

  private skipInputs(cursor: PrefixCursor): void {
    for (let left = cursor.count(); left > 0; left--) {
      const tag = cursor.byte();
      cursor.skipVarint();
      if (tag === BASE_INPUT_TAG) continue;
      if (tag !== KEY_TAG) throw new RangeError(`unknown input type ${tag}`);
      for (let ring = cursor.count(); ring > 0; ring--) cursor.skipVarint();
      cursor.skip(32);
    }
  }

  private outputs(cursor: PrefixCursor): void {
    const { out } = this;
    out.put(OUTPUTS);
    const count = cursor.count();
    for (let i = 0; i < count; i++) {
      if (i > 0) out.put(COMMA);
      cursor.writeVarint(out.put(AMOUNT));
      const tag = cursor.byte();
      if (tag !== KEY_TAG) throw new RangeError(`unknown output type ${tag}`);
      out.put(KEY);
      this.key(out, cursor.bytes, cursor.at);
      cursor.skip(32);
      out.put(END_TEXT);
    }
  }

  private inputs(cursor: PrefixCursor): void {
    const { out, options } = this;
    out.put(INPUTS);
    const count = cursor.count();
    for (let i = 0; i < count; i++) {
      if (i > 0) out.put(COMMA);
      if (cursor.byte() === BASE_INPUT_TAG) {
        cursor.skipVarint();
        out.put(NOTHING);
        continue;
      }
      cursor.writeVarint(out.put(AMOUNT));
      const ringSize = cursor.count();
      const offsets = cursor.at;
      for (let left = ringSize; left > 0; left--) cursor.skipVarint();
      const image = cursor.at;
      out.put(KEY_IMAGE);
      this.key(out, cursor.bytes, image);
      if (options.skipKeyOffsets) {
        out.put(END_TEXT);
      } else {
        out.put(OFFSETS);
        cursor.at = offsets;
        for (let j = 0; j < ringSize; j++) {
          if (j > 0) out.put(COMMA);
          cursor.writeVarint(out);
        }
        out.put(END_LIST);
      }
      cursor.at = image;
      cursor.skip(32);
    }
  }

  private key(out: JsonBuffer, bytes: Buffer, at: number): void {
    if (this.options.encoding === 'hex') out.hex(bytes, at, at + 32);
    else out.base64(bytes, at, at + 32);
  }
}

/**
 * A position in the stored bytes of a transaction. They were validated when they were stored, so only the bounds are checked.
 * All methods throw a RangeError at the end of the bytes.
 */
class PrefixCursor {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw ended();
    return this.bytes[this.at++] as number;
  }

  /** Skips bytes. @returns the new position */
  skip(count: number): number {
    if (count > this.bytes.length - this.at) throw ended();
    return (this.at += count);
  }

  skipVarint(): void {
    while (this.byte() >= 0x80);
  }

  /** Reads a varint; inexact above 2^53. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const group = this.byte();
      if (group < 0x80) return value + group * scale;
      value += (group - 0x80) * scale;
    }
  }

  /** Reads the varint length of a list whose items have at least one byte. */
  count(): number {
    const count = this.varint();
    if (count > this.bytes.length - this.at) throw ended();
    return count;
  }

  /** Reads a varint of up to 64 bits and writes it in decimal. */
  writeVarint(out: JsonBuffer): void {
    const start = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) out.unsigned(value);
    else out.text(String(wide(this.bytes, start, this.at)));
  }
}

function wide(bytes: Buffer, start: number, end: number): bigint {
  let value = 0n;
  for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((bytes[at] as number) & 0x7f);
  return value;
}

function ended(): RangeError {
  return new RangeError('unexpected end of data');
}
