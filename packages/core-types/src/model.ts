/**
 * Types of the objects of the chain, as decoded from the binary format (docs/protocol/encoding.md#binary-format).
 *
 * Hashes, keys and key images are 32-byte buffers; amounts, unlock times and timestamps are unsigned 64-bit
 * and therefore `bigint`; heights, offsets and nonces are unsigned 32-bit numbers.
 */

/** The only input of a coinbase. `height` is the index of its block. */
export interface BaseInput {
  readonly type: 'base';
  readonly height: number;
}

/** An input that spends one of the ring's outputs. `keyOffsets` are relative, as on the wire. */
export interface KeyInput {
  readonly type: 'key';
  readonly amount: bigint;
  readonly keyOffsets: readonly number[];
  readonly keyImage: Buffer;
}

export type TransactionInput = BaseInput | KeyInput;

/** An output to a one-time key. */
export interface TransactionOutput {
  readonly amount: bigint;
  readonly key: Buffer;
}

/** The part that is signed and that the transaction proof of work hashes. */
export interface TransactionPrefix {
  readonly version: number;
  readonly unlockTime: bigint;
  readonly inputs: readonly TransactionInput[];
  readonly outputs: readonly TransactionOutput[];
  readonly extra: Buffer;
}

/** `signatures[i]` holds the 64-byte signatures of input i, concatenated (empty for a base input). */
export interface Transaction extends TransactionPrefix {
  readonly signatures: readonly Buffer[];
}

/** The coinbase of a merge-mining parent: any version, no signatures. */
export interface BaseTransaction extends TransactionPrefix {
  /** The number after extra from version 2 on. Stored in a block's bytes; 0 in ids and sizes. */
  readonly ignored?: bigint;
}

/** The parent block that carries the proof of work from block version 2 on. */
export interface ParentBlock {
  readonly majorVersion: number;
  readonly minorVersion: number;
  readonly previousHash: Buffer;
  /** Truncated to 16 bits on reading, like in the reference: 65,537 becomes 1. */
  readonly transactionCount: number;
  readonly baseTransactionBranch: readonly Buffer[];
  readonly baseTransaction: BaseTransaction;
  readonly blockchainBranch: readonly Buffer[];
}

/** A block with the hashes of its transactions, coinbase excluded. `parentBlock` exists from version 2 on. */
export interface Block {
  readonly majorVersion: number;
  readonly minorVersion: number;
  readonly timestamp: bigint;
  readonly previousHash: Buffer;
  readonly nonce: number;
  readonly parentBlock?: ParentBlock;
  readonly coinbase: Transaction;
  readonly transactionHashes: readonly Buffer[];
}

/** A block and its transactions as serialized; `transactions` in the order of the block's hash list. */
export interface RawBlock {
  readonly block: Buffer;
  readonly transactions: readonly Buffer[];
}
