import { writeFileSync } from 'node:fs';
import { encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { chainALines } from './fixtures';

let blocks: readonly RawBlock[] | undefined;

/** Index of the last block of chain A. */
export const CHAIN_A_HEIGHT = 720;

/** The blocks of devnet chain A by index, genesis first; read once a process. */
export function chainA(): readonly RawBlock[] {
  return (blocks ??= chainALines().map(({ block, transactions }) => ({
    block: Buffer.from(block, 'hex'),
    transactions: transactions.map((transaction) => Buffer.from(transaction, 'hex')),
  })));
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
