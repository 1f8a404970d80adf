import type { BlockStamp, ChainReader, TransactionScan } from '@wrkz/chain-db';
import { parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';

/** Number of transactions in the chain below the given blocks. */
const BELOW = 1_000;

/** The part of a reader that sync responses use, over raw blocks: every hash is computed. */
export function readerOf(
  blocks: readonly RawBlock[],
  { first = 0, tip = first + blocks.length - 1 }: { readonly first?: number; readonly tip?: number } = {},
): ChainReader {
  const parsed = blocks.map(({ block, transactions }) => ({
    block: parseBlock(block),
    transactions: transactions.map(parseTransaction),
  }));
  const all = parsed.flatMap(({ block, transactions }) => [block.coinbase, ...transactions]);
  const below = first === 0 ? 0 : BELOW;
  let generated = below;
  const stamps = parsed.map(({ block, transactions }, i): BlockStamp => {
    generated += 1 + transactions.length;
    return {
      height: first + i,
      hash: block.hash,
      timestamp: Number(block.block.timestamp),
      timestampLag: 0,
      generatedTransactions: generated,
    };
  });
  const under = { height: first - 1, generatedTransactions: below } as BlockStamp;
  const reader: Partial<ChainReader> = {
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
    cached: <T>(_key: string, read: () => T): T => read(),
    snapshot: <T>(read: () => T): T => read(),
    tip: () => {
      const last = parsed[tip - first]?.block;
      const facts = { height: tip, hash: last?.hash ?? Buffer.alloc(32), timestamp: 1_788_926_000 };
      return facts as ReturnType<ChainReader['tip']>;
    },
    heightOf: (hash) => stamps.find((stamp) => stamp.hash.equals(hash))?.height,
    blockStamps: (start, end) => [under, ...stamps].filter(({ height }) => height >= start && height < end),
    scanTransactions: (from, end): TransactionScan => {
      const requested = all.slice(from - below, end - below);
      return { hashes: requested.map(({ hash }) => hash), prefixes: requested.map(({ prefixBytes }) => prefixBytes) };
    },
    rawBlocks: (start, end) => blocks.slice(start - first, end - first),
  };
  return reader as ChainReader;
}
