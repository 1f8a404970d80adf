import {
  parseBlock,
  type ParsedBlock,
  parseTransaction,
  type ParsedTransaction,
  type RawBlock,
} from '@wrkz/core-types';

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
