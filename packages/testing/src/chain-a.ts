import { writeFileSync } from 'node:fs';
import { encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { readJsonLines } from './fixtures';

/** One line of chain-a.jsonl. */
interface ChainALine {
  readonly height: number;
  readonly hash: string;
  readonly block: string;
  readonly transactions: readonly string[];
}

let blocks: readonly RawBlock[] | undefined;

/** Index of the top block of chain A. */
export const CHAIN_A_HEIGHT = 720;

/** The blocks of devnet chain A by index, genesis first; read once a process. */
export function chainA(): readonly RawBlock[] {
  return (blocks ??= readJsonLines<ChainALine>('devnet/chain-a.jsonl').map(({ block, transactions }) => ({
    block: Buffer.from(block, 'hex'),
    transactions: transactions.map((transaction) => Buffer.from(transaction, 'hex')),
  })));
}

/** One line of chain-a-headers.jsonl: what the reference reports of a block. */
export interface ChainAHeader {
  readonly height: number;
  readonly hash: string;
  readonly prev_hash: string;
  readonly major_version: number;
  readonly minor_version: number;
  readonly timestamp: number;
  readonly nonce: number;
  readonly difficulty: number;
  readonly reward: number;
  readonly num_txes: number;
  readonly block_size: number;
  readonly transactionsCumulativeSize: number;
  readonly alreadyGeneratedCoins: string;
  readonly alreadyGeneratedTransactions: number;
  readonly sizeMedian: number;
  readonly baseReward: number;
  readonly totalFeeAmount: number;
  readonly coinbase_tx_hash: string;
  readonly tx_hashes: readonly string[];
}

export function chainAHeaders(): ChainAHeader[] {
  return readJsonLines<ChainAHeader>('devnet/chain-a-headers.jsonl');
}

/**
 * The bytes of a dump file (node-operations 4) of these blocks, `blocks[0]` having the index `first`. Written apart from
 * the daemon's own export, so that each can be held against the other.
 */
export function dumpOf(raw: readonly RawBlock[], first = 1): Buffer {
  return Buffer.concat(
    raw.map((block, i) => {
      const body = encodeRawBlock(block);
      return Buffer.concat([Buffer.from(`${String(first + i)} ${String(body.length)} `), body, Buffer.from(' ')]);
    }),
  );
}

/** Writes chain A, or a part [1, end) of it, as a dump file. */
export function writeChainADump(path: string, end = CHAIN_A_HEIGHT + 1): void {
  writeFileSync(path, dumpOf(chainA().slice(1, end)));
}
