import {
  parseBlock,
  type ParsedBlock,
  parseTransaction,
  type ParsedTransaction,
  type RawBlock,
} from '@wrkz/core-types';

/** A block that the damaged database lacks, by its id. */
export interface WantedBlock {
  readonly height: number;
  readonly id: Buffer;
}

/** Requests blocks from peers by their ids. @returns the received blocks, in any order; the caller checks them */
export type FetchBlocks = (wanted: readonly WantedBlock[]) => Promise<readonly { id: Buffer; raw: RawBlock }[]>;

/** Max blocks per call of {@link FetchBlocks}. */
const BATCH = 200;

/** Fetches blocks. @returns the valid ones, by height: the hash of each equals the requested id */
export async function fetchByIds(wanted: readonly WantedBlock[], fetch: FetchBlocks): Promise<Map<number, WholeBlock>> {
  const heights = new Map(wanted.map(({ height, id }) => [id.toString('hex'), height]));
  const blocks = new Map<number, WholeBlock>();
  for (let start = 0; start < wanted.length; start += BATCH) {
    for (const { id, raw } of await fetch(wanted.slice(start, start + BATCH))) {
      const height = heights.get(id.toString('hex'));
      const block = wholeBlock(raw);
      if (height !== undefined && block?.block.hash.equals(id) === true) blocks.set(height, block);
    }
  }
  return blocks;
}

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
