import { rebuiltPage, replaceBadPage, type RowRange, type SqliteConnection, type TableRow } from '@wrkz/sqlite';
import { Codec, blockBody, signaturesOf } from '../block-bytes';
import { pageLocation, transactionsUpTo } from '../block-pages';
import { packIndexes } from '../integers';
import { RulesDigester, rulesDigests } from '../modes/rules-digest';
import { ChainReader } from '../reader/reader';
import { PAGE_SIZE } from '../schema';
import type { WantedBlock } from './fetch';
import type { WholeBlock } from './fetch';

/** The blocks that are needed to repair a damaged page; undefined if the page cannot be repaired in place. */
export function blocksOfPage(reader: ChainReader, page: number): WantedBlock[] | undefined {
  const location = reader.pageLocation(page);
  if (location?.source === undefined) return undefined;
  if (location.source !== 'blocks') return [];
  if (location.heights === undefined) return undefined;
  const [first, last] = location.heights;
  const start = Math.max(first, floorOf(reader, location.owner.table));
  const heights: WantedBlock[] = reader.hashes(start, last + 1).map((id, i) => ({ height: start + i, id }));
  const genesis = first === 0 && start > 0 ? reader.hashAt(0) : undefined;
  return genesis === undefined ? heights : [{ height: 0, id: genesis }, ...heights];
}

/** The height from which a table has the rows of all blocks. Rows of genesis always exist. */
function floorOf(reader: ChainReader, table: string): number {
  const { bodies, records } = reader.floors();
  return table === 'transactions' ? records : bodies;
}

/**
 * Repairs a damaged page in place: a page with the bytes of blocks from the blocks, an inner page from its child pages, a page of
 * rules digests from the chain, a free page with zeros. Nothing else is changed. The file must have the newest state: the
 * write-ahead log must be empty, and the caller must prevent checkpoints.
 *
 * @param blocks by height, the blocks of {@link blocksOfPage}
 * @returns false if a block is missing, or the blocks do not match the neighbouring pages
 */
export function repairBlockPage(
  connection: SqliteConnection,
  page: number,
  blocks: ReadonlyMap<number, WholeBlock>,
): boolean {
  const reader = new ChainReader(connection);
  const location = pageLocation(connection, page);
  if (location?.source === 'free') return replaceBadPage(connection, page, Buffer.alloc(PAGE_SIZE));
  const range = location?.owner.rows;
  // With a missing or wrong block the page would lack rows, and have a valid checksum.
  const isComplete = blocksOfPage(reader, page)?.every(({ height, id }) => blocks.get(height)?.block.hash.equals(id));
  if (location === undefined || range === undefined || isComplete !== true) return false;
  if (location.source === 'tables') {
    const digests = rebuiltPage(connection, page, location.owner, digestRows(reader, range));
    return digests !== undefined && replaceBadPage(connection, page, digests);
  }
  const rows = [...blocks]
    .sort(([a], [b]) => a - b)
    .flatMap(([height, block]) => rowsOfBlock(connection, reader, location.owner.table, height, block));
  const own = rows.filter(({ id }) => id >= range.first && id <= range.last);
  const bytes = rebuiltPage(connection, page, location.owner, own);
  return bytes !== undefined && replaceBadPage(connection, page, bytes);
}

/** The digests of a page. The last page gets only one: how many it had is unknown, and the writer stores the others again. */
function digestRows(reader: ChainReader, { first, last }: RowRange): TableRow[] {
  const below = first > 0 ? reader.storedRulesDigest(first - 1) : undefined;
  const next = new RulesDigester(reader, below).nextStored;
  const end = last < reader.height() ? last : next;
  if (end > reader.height()) return [];
  return [...rulesDigests(reader, end, below)].map(({ height, digest }) => ({ id: height, columns: [null, digest] }));
}

/** The rows of a block in a table, in ascending order of their ids. Columns are in the order of the schema. */
function rowsOfBlock(
  connection: SqliteConnection,
  reader: ChainReader,
  table: string,
  height: number,
  { block, transactions }: WholeBlock,
): TableRow[] {
  if (height > 0 && height < floorOf(reader, table)) return [];
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
