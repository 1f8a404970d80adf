import { nextDifficulty, type BlockFacts } from '@wrkz/consensus';
import {
  parseBlock,
  parseTransaction,
  type Network,
  type ParsedBlock,
  type ParsedTransaction,
  type RawBlock,
} from '@wrkz/core-types';
import { blockBody, spentKeyImages } from '../block-parts';
import type { FactsWindow } from '../verify/facts-window';
import type { RestoredBlock, RestoredOutput } from './restored-block';

/** A block whose bytes are all there; `transactions` without the coinbase, each with the hash that the block names. */
export interface WholeBlock {
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
}

/** Reads a block; undefined unless it comes with exactly its transactions, whose hashes bind every byte of them. */
export function wholeBlock(raw: RawBlock): WholeBlock | undefined {
  try {
    const block = parseBlock(raw.block);
    const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
    const listed = block.block.transactionHashes;
    const fits = listed.length === transactions.length && transactions.every(({ hash }, i) => listed[i]?.equals(hash));
    return fits ? { block, transactions } : undefined;
  } catch {
    return undefined; // no block
  }
}

/** What is remembered of a block, from its bytes and the block below. @param window of the blocks below */
export function factsOfWhole(
  { block, transactions }: WholeBlock,
  below: BlockFacts | undefined,
  window: FactsWindow,
  network: Network,
): BlockFacts {
  const height = (below?.height ?? -1) + 1;
  const { majorVersion, minorVersion, timestamp, coinbase } = block.block;
  const created = coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
  const difficulty = below === undefined ? 1n : nextDifficulty(network, below.height, window);
  return {
    height,
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

/** A whole block as a database keeps it. @param form what the new database stores of a block of this height */
export function restoredFrom(
  { block, transactions }: WholeBlock,
  facts: BlockFacts,
  form: 'whole' | 'without body' | 'reduced',
): RestoredBlock {
  const parent = facts.height === 0 ? undefined : block.block.previousHash;
  const all = [block.coinbase, ...transactions];
  if (form === 'reduced') {
    return { kind: 'reduced', facts, parent, outputs: outputsOf(all), images: all.flatMap(imagesIn) };
  }
  if (form === 'whole') {
    return { kind: 'transactions', facts, parent, body: blockBody(block, transactions), transactions: all };
  }
  const prefixes = all.map(({ hash, prefixBytes, transaction }) => ({
    hash,
    prefixBytes,
    bytes: prefixBytes,
    transaction,
  }));
  return { kind: 'transactions', facts, parent, body: undefined, transactions: prefixes };
}

function outputsOf(transactions: readonly ParsedTransaction[]): RestoredOutput[] {
  return transactions.flatMap(({ transaction: { outputs, unlockTime } }) =>
    outputs.map(({ amount, key }, position) => ({ amount, key, unlockTime, position })),
  );
}

function imagesIn({ transaction }: ParsedTransaction): Buffer[] {
  return spentKeyImages(transaction);
}
