import { CorruptDatabase } from '@wrkz/chain-db';
import { findWalletExtra } from '@wrkz/core-types';
import { type ResponseBuffer, piece } from './response-buffer';
import { PrefixCursor } from './prefix-cursor';
import type { MainChainBlock } from './sync-blocks';

export interface WalletJsonOptions {
  readonly encoding: 'hex' | 'base64';
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

/**
 * Writes the parts of blocks that wallets scan as JSON, directly from stored prefixes and hashes, without objects or bigints
 * (docs/protocol/lessons.md#hashing-known-data).
 */
export class WalletJson {
  constructor(
    private readonly out: ResponseBuffer,
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
      cursor.writeDecimal(out.put(UNLOCK_TIME));
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
      const isKey = cursor.isKeyInput();
      cursor.skipVarint();
      if (!isKey) continue;
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
      cursor.writeDecimal(out.put(AMOUNT));
      out.put(KEY);
      this.key(out, cursor.bytes, cursor.outputKey());
      out.put(END_TEXT);
    }
  }

  private inputs(cursor: PrefixCursor): void {
    const { out, options } = this;
    out.put(INPUTS);
    const count = cursor.count();
    for (let i = 0; i < count; i++) {
      if (i > 0) out.put(COMMA);
      if (!cursor.isKeyInput()) {
        cursor.skipVarint();
        out.put(NOTHING);
        continue;
      }
      cursor.writeDecimal(out.put(AMOUNT));
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
          cursor.writeDecimal(out);
        }
        out.put(END_LIST);
      }
      cursor.at = image;
      cursor.skip(32);
    }
  }

  private key(out: ResponseBuffer, bytes: Buffer, at: number): void {
    if (this.options.encoding === 'hex') out.hex(bytes, at, at + 32);
    else out.base64(bytes, at, at + 32);
  }
}
