import { writeFileSync } from 'node:fs';
import { encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { chainALines } from './fixtures';

let blocks: readonly RawBlock[] | undefined;

/** Index of the last block of chain A. */
export const CHAIN_A_HEIGHT = 720;

/** The blocks of devnet chain A by index, genesis first; read once per process. */
export function chainA(): readonly RawBlock[] {
  return (blocks ??= chainALines().map(({ block, transactions }) => ({
    block: Buffer.from(block, 'hex'),
    transactions: transactions.map((transaction) => Buffer.from(transaction, 'hex')),
  })));
}

/**
 * The bytes of a dump file (docs/protocol/storage.md#dump-file) with these blocks; `raw[0]` has the index `first`. Independent of
 * the daemon's export, so that tests can compare the two.
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
