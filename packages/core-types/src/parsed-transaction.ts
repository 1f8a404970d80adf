import { cnFastHash } from '@wrkz/crypto';
import type { Transaction } from './model';
import { MAX_BLOCK_BYTES } from './networks/constants';
import { BinaryReader } from './reader';
import { readTransaction } from './transaction';

/**
 * A transaction with its bytes. Hashes and sums are computed on first use and cached.
 * `bytes` and every field of `transaction` are views of the bytes it was parsed from.
 */
export class ParsedTransaction {
  private cachedHash: Buffer | undefined;
  private cachedPrefixHash: Buffer | undefined;
  private cachedPrefixSize: number | undefined;
  private cachedFee: bigint | undefined;

  /** `bytes` must be the encoding of `transaction`; outside of this package use `parseTransaction`. */
  constructor(
    readonly transaction: Transaction,
    readonly bytes: Buffer,
  ) {}

  /** Bytes, signatures included. */
  get size(): number {
    return this.bytes.length;
  }

  get hash(): Buffer {
    return (this.cachedHash ??= cnFastHash(this.bytes));
  }

  get prefixBytes(): Buffer {
    this.cachedPrefixSize ??= this.bytes.length - signaturesSize(this.transaction);
    return this.bytes.subarray(0, this.cachedPrefixSize);
  }

  get prefixHash(): Buffer {
    return (this.cachedPrefixHash ??= cnFastHash(this.prefixBytes));
  }

  /** One input that spends nothing. */
  get isCoinbase(): boolean {
    const [first, second] = this.transaction.inputs;
    return first?.type === 'base' && second === undefined;
  }

  /**
   * Inputs less outputs in atomic units, exact: it may be negative, and the sums may exceed 64 bits.
   * Undefined if an input spends nothing (coinbase).
   */
  get fee(): bigint | undefined {
    if (this.cachedFee !== undefined) return this.cachedFee;
    let fee = 0n;
    for (const input of this.transaction.inputs) {
      if (input.type === 'base') return undefined;
      fee += input.amount;
    }
    for (const output of this.transaction.outputs) fee -= output.amount;
    return (this.cachedFee = fee);
  }
}

function signaturesSize(transaction: Transaction): number {
  let size = 0;
  for (const signatures of transaction.signatures) size += signatures.length;
  return size;
}

/** Parses all of `bytes`; throws DecodeError. Do not write to `bytes` afterwards. */
export function parseTransaction(bytes: Uint8Array): ParsedTransaction {
  const reader = new BinaryReader(bytes);
  reader.within(MAX_BLOCK_BYTES);
  const parsed = readParsedTransaction(reader);
  reader.done();
  return parsed;
}

/** Parses a transaction at the reader's position. */
export function readParsedTransaction(reader: BinaryReader): ParsedTransaction {
  const start = reader.offset;
  const transaction = readTransaction(reader);
  return new ParsedTransaction(transaction, reader.buffer.subarray(start, reader.offset));
}
