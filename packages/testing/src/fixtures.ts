import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', 'fixtures');

/** The absolute path of a recorded file, e.g. `fixturePath('vectors/tree.jsonl')`. */
export function fixturePath(name: string): string {
  return join(root, name);
}

/** The whole text of a recorded file (UTF-8). */
export function readFixture(name: string): string {
  return readFileSync(fixturePath(name), 'utf8');
}

/** A recorded JSON file, parsed. */
export function readJson<T>(name: string): T {
  return JSON.parse(readFixture(name)) as T;
}

/** A recorded file with one JSON value per line, parsed; blank lines are skipped. */
export function readJsonLines<T>(name: string): T[] {
  return readFixture(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}

/** One line of chain-a.jsonl. */
export interface ChainALine {
  readonly height: number;
  readonly hash: string;
  readonly block: string;
  readonly transactions: readonly string[];
}

/** Devnet chain A as recorded, genesis first. */
export function chainALines(): ChainALine[] {
  return readJsonLines<ChainALine>('devnet/chain-a.jsonl');
}

/** One line of chain-a-headers.jsonl: the block header as reported by the reference. */
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
