import { rebuiltPage, replaceBadPage, type SqliteConnection, type TableRow } from '@wrkz/sqlite';
import { Codec, blockBody, signaturesOf } from '../block-bytes';
import { pageLocation, transactionsUpTo } from '../block-pages';
import { packIndexes } from '../integers';
import { ChainReader } from '../reader/reader';
import type { WantedBlock } from './fetch';
import type { WholeBlock } from './whole-block';

/** The blocks that are needed to repair a damaged page; undefined where the page cannot be repaired in place. */
export function blocksOfPage(reader: ChainReader, page: number): WantedBlock[] | undefined {
  const location = reader.pageLocation(page);
  if (location?.source === 'pages') return [];
  if (location?.source !== 'blocks' || location.heights === undefined) return undefined;
  const [first, last] = location.heights;
  return reader.hashes(first, last + 1).map((id, i) => ({ height: first + i, id }));
}

/**
 * Repairs a damaged page in place: a page with the bytes of blocks from the blocks, an inner page from the pages below it.
 * Nothing else is changed. The caller keeps checkpoints away, and the write-ahead log is empty: so the file is the newest state.
 *
 * @param blocks by height, the blocks of {@link blocksOfPage}
 * @returns false where the blocks do not fit the pages beside the damaged one
 */
export function repairBlockPage(
  connection: SqliteConnection,
  page: number,
  blocks: ReadonlyMap<number, WholeBlock>,
): boolean {
  const location = pageLocation(connection, page);
  const range = location?.owner.rows;
  if (location?.source === undefined || range === undefined) return false;
  const reader = new ChainReader(connection);
  const rows = [...blocks]
    .sort(([a], [b]) => a - b)
    .flatMap(([height, block]) => rowsOfBlock(connection, reader, location.owner.table, height, block));
  const own = rows.filter(({ id }) => id >= range.first && id <= range.last);
  const bytes = rebuiltPage(connection, page, location.owner, own);
  return bytes !== undefined && replaceBadPage(connection, page, bytes);
}

/** The rows of a block in a table, in ascending order of their ids. Columns are in the order of the schema. */
function rowsOfBlock(
  connection: SqliteConnection,
  reader: ChainReader,
  table: string,
  height: number,
  { block, transactions }: WholeBlock,
): TableRow[] {
  const { bodies, records } = reader.floors();
  if (height > 0 && height < (table === 'transactions' ? records : bodies)) return [];
  if (table === 'block_bodies') {
    return [{ id: height, columns: [null, Codec.plain, blockBody(block, transactions)] }];
  }
  const first = height === 0 ? 0 : (transactionsUpTo(connection, height - 1) ?? 0);
  const all = [block.coinbase, ...transactions];
  if (table === 'signatures') {
    return all.flatMap((transaction, i) => {
      const signatures = signaturesOf(transaction);
      return signatures.length === 0 ? [] : [{ id: first + i, columns: [null, Codec.plain, signatures] }];
    });
  }
  const counts = new Map<bigint, number>();
  return all.map(({ hash, prefixBytes, transaction }, i) => {
    const indexes = transaction.outputs.map(({ amount }) => {
      const index = counts.get(amount) ?? reader.outputCount(amount, height - 1);
      counts.set(amount, index + 1);
      return index;
    });
    return { id: first + i, columns: [null, hash, height, packIndexes(indexes), Codec.plain, prefixBytes] };
  });
}
