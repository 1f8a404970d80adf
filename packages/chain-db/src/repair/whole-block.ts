import { type BlockFacts, nextDifficulty } from '@wrkz/consensus';
import {
  type Network,
  parseBlock,
  type ParsedBlock,
  parseTransaction,
  type ParsedTransaction,
  type RawBlock,
} from '@wrkz/core-types';
import type { FactsWindow } from '../verify/facts-window';

/** A block with exactly the transactions that it lists, without the coinbase. */
export interface WholeBlock {
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
}

/** Parses a block; undefined unless its transactions are exactly the listed ones. The hashes commit to every byte. */
export function wholeBlock(raw: RawBlock): WholeBlock | undefined {
  try {
    const block = parseBlock(raw.block);
    const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
    const listed = block.block.transactionHashes;
    const fits = listed.length === transactions.length && transactions.every(({ hash }, i) => listed[i]?.equals(hash));
    return fits ? { block, transactions } : undefined;
  } catch {
    return undefined; // not a valid block
  }
}

/** Computes the facts of a block from its bytes and the block below. @param window the facts of the blocks below */
export function factsOfWhole(
  { block, transactions }: WholeBlock,
  below: BlockFacts | undefined,
  window: FactsWindow,
  network: Network,
): BlockFacts {
  const { majorVersion, minorVersion, timestamp, coinbase } = block.block;
  const created = coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
  const difficulty = below === undefined ? 1n : nextDifficulty(network, below.height, window);
  return {
    height: (below?.height ?? -1) + 1,
    hash: block.hash,
    majorVersion,
    minorVersion,
    timestamp: Number(timestamp),
    size: transactions.reduce((sum, { size }) => sum + size, block.coinbase.size),
    difficulty,
    cumulativeDifficulty: (below?.cumulativeDifficulty ?? 0n) + difficulty,
    generatedCoins: (below?.generatedCoins ?? 0n) + created - fees,
    generatedTransactions: (below?.generatedTransactions ?? 0) + 1 + transactions.length,
  };
}
