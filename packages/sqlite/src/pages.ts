import type { SqliteConnection } from './library';
import { PAGE_CHECKSUM_BYTES, fitsChecksum } from './page-checksum';

/*
 * Pages of the database file itself, without the write-ahead log. They are read through the file handle of the connection:
 * opening and closing the file elsewhere would release the POSIX locks of this process on it.
 */

const MAP_ENTRY_BYTES = 5;
const FIRST_MAP = 2;
/** Offset in page 1 of the first trunk page: https://www.sqlite.org/fileformat.html#the_freelist */
const FREE_LIST = 32;
/** Upper bound of the steps through a tree and its overflow chains in an intact file. */
const MAX_STEPS = 100_000;
export const INNER_TABLE = 0x05;
export const INNER_HEADER_BYTES = 12;

/** The types of the pointer map: https://www.sqlite.org/fileformat.html#pointer_map_or_ptrmap_pages */
const Kind = { root: 1, free: 2, firstOverflow: 3, laterOverflow: 4, tree: 5 } as const;

/** Row ids, both ends included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The place of a page in its table or index. */
export interface PageOwner {
  readonly table: string;
  /** The page of the tree: the page itself, or the leaf to whose rows an overflow page belongs. */
  readonly treePage: number;
  /** Of an overflow page: the first page of its chain, and how many pages of the chain are before it. */
  readonly overflow: { readonly head: number; readonly index: number } | undefined;
  /** The rows that the page of the tree may have; undefined for an index and a table without row ids. */
  readonly rows: RowRange | undefined;
}

export function usableSize(connection: SqliteConnection): number {
  return Number(connection.pragma('page_size', { simple: true })) - PAGE_CHECKSUM_BYTES;
}

/**
 * The lowest of the pages [first, first + count) of the file that does not fit its checksum; undefined if all do. Pages beyond
 * the end of the file are ignored.
 */
export function firstBadPage(connection: SqliteConnection, first: number, count: number): number | undefined {
  const find = connection.prepare<[number, number], [number | null]>('SELECT first_bad_page(?, ?)').raw(true);
  return find.get(first, count)?.[0] ?? undefined;
}

/** The bytes of a page, damaged or not. @throws RangeError beyond the end of the file */
export function pageBytes(connection: SqliteConnection, page: number): Buffer {
  const bytes = connection.prepare<[number], [Buffer | null]>('SELECT page_bytes(?)').raw(true).get(page)?.[0];
  if (bytes === undefined || bytes === null) throw new RangeError(`the file has no page ${page}`);
  return bytes;
}

/** @throws RangeError also for a page with a wrong checksum */
export function soundPage(connection: SqliteConnection, page: number): Buffer {
  const bytes = pageBytes(connection, page);
  if (!fitsChecksum(bytes)) throw new RangeError(`page ${page} does not fit its checksum`);
  return bytes;
}

/**
 * Overwrites a page that has a wrong checksum, with a new checksum. The caller must prevent checkpoints.
 * @returns false, and writes nothing, if the present page fits its checksum
 */
export function replaceBadPage(connection: SqliteConnection, page: number, bytes: Buffer): boolean {
  const replace = connection.prepare<[number, Buffer], [number]>('SELECT replace_bad_page(?, ?)').raw(true);
  return replace.get(page, bytes)?.[0] === 1;
}

/**
 * The owner of a page according to the pointer maps of a file with incremental vacuum; undefined for a free page and a map.
 * @throws RangeError if a map or an ancestor page is damaged
 */
export function pageOwner(connection: SqliteConnection, page: number): PageOwner | undefined {
  const path = pathToRoot(connection, page);
  const chain = path.filter(({ kind }) => kind === Kind.firstOverflow || kind === Kind.laterOverflow);
  const tree = path.slice(chain.length).map((step) => step.page);
  const table = nameOfRoot(connection, tree.at(-1) ?? 0);
  const [treePage] = tree;
  if (table === undefined || treePage === undefined) return undefined;
  const head = chain.at(-1)?.page;
  const overflow = head === undefined ? undefined : { head, index: chain.length - 1 };
  return { table, treePage, overflow, rows: rowRange(connection, tree) };
}

/** The pages of the tree below a page; empty for a leaf. */
export function childPages(connection: SqliteConnection, page: number): number[] {
  return pagesOf(connection, Kind.tree, page);
}

/** The first overflow pages of the rows of a leaf. */
export function overflowHeads(connection: SqliteConnection, leaf: number): number[] {
  return pagesOf(connection, Kind.firstOverflow, leaf);
}

/** The page that follows an overflow page in its chain; 0 for the last. */
export function nextOverflow(connection: SqliteConnection, page: number): number {
  return pagesOf(connection, Kind.laterOverflow, page)[0] ?? 0;
}

/**
 * Whether a page is a leaf of the list of free pages: it has no data, and SQLite never reads it.
 * @throws RangeError if a page of the list is damaged
 */
export function isFreeLeaf(connection: SqliteConnection, page: number): boolean {
  let trunk = soundPage(connection, 1).readUInt32BE(FREE_LIST);
  for (let steps = 0; trunk !== 0 && steps < MAX_STEPS; steps++) {
    const bytes = soundPage(connection, trunk);
    const leaves = bytes.readUInt32BE(4);
    for (let leaf = 1; leaf <= leaves; leaf++) {
      if (bytes.readUInt32BE(4 + 4 * leaf) === page) return true;
    }
    trunk = bytes.readUInt32BE(0);
  }
  return false;
}

/** A page and its ancestors up to the root, which comes last, with the kind of each; empty for a page outside of all trees. */
function pathToRoot(connection: SqliteConnection, page: number): { readonly page: number; readonly kind: number }[] {
  const path: ReturnType<typeof pathToRoot> = [];
  for (let at = page; path.length < MAX_STEPS;) {
    const entry = at === 1 ? { kind: Kind.root, parent: 0 } : mapEntry(connection, at);
    if (entry === undefined || entry.kind === Kind.free || entry.kind === 0) return [];
    path.push({ page: at, kind: entry.kind });
    if (entry.kind === Kind.root) return path;
    at = entry.parent;
  }
  return [];
}

function mapEntry(connection: SqliteConnection, page: number): { kind: number; parent: number } | undefined {
  const perMap = Math.floor(usableSize(connection) / MAP_ENTRY_BYTES) + 1;
  const map = Math.floor((page - FIRST_MAP) / perMap) * perMap + FIRST_MAP;
  if (page <= map) return undefined;
  const bytes = soundPage(connection, map);
  const at = (page - map - 1) * MAP_ENTRY_BYTES;
  return { kind: bytes.readUInt8(at), parent: bytes.readUInt32BE(at + 1) };
}

/** The pages of a kind with this parent. Reads all pointer maps of the file: 5 bytes per page. */
function pagesOf(connection: SqliteConnection, kind: number, parent: number): number[] {
  const perMap = Math.floor(usableSize(connection) / MAP_ENTRY_BYTES) + 1;
  const pages = Number(connection.pragma('page_count', { simple: true }));
  const found: number[] = [];
  for (let map = FIRST_MAP; map <= pages; map += perMap) {
    const bytes = soundPage(connection, map);
    const end = Math.min(perMap - 1, pages - map);
    for (let i = 0; i < end; i++) {
      const at = i * MAP_ENTRY_BYTES;
      if (bytes.readUInt8(at) === kind && bytes.readUInt32BE(at + 1) === parent) found.push(map + 1 + i);
    }
  }
  return found;
}

/** The row ids that a page may have, from the cells of its ancestors. @param path from the page up to the root */
function rowRange(connection: SqliteConnection, path: readonly number[]): RowRange | undefined {
  let range: RowRange = { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER };
  for (let i = path.length - 1; i > 0; i--) {
    const [page, child] = [path[i] as number, path[i - 1] as number];
    const bytes = soundPage(connection, page).subarray(page === 1 ? 100 : 0);
    if (bytes.readUInt8(0) !== INNER_TABLE) return undefined;
    const cells = Array.from({ length: bytes.readUInt16BE(3) }, (_, cell) => {
      const at = bytes.readUInt16BE(INNER_HEADER_BYTES + 2 * cell) - (page === 1 ? 100 : 0);
      return { child: bytes.readUInt32BE(at), key: readVarint(bytes, at + 4).value };
    });
    const place = cells.findIndex((cell) => cell.child === child);
    const above = place < 0 ? range.last : (cells[place]?.key ?? range.last);
    const below = cells[place < 0 ? cells.length - 1 : place - 1]?.key;
    range = { first: below === undefined ? range.first : below + 1, last: above };
  }
  return range;
}

/** A SQLite varint below 2^53. */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = at; end < at + 8;) {
    const byte = bytes.readUInt8(end++);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end };
  }
  throw new RangeError('a number of more than 8 bytes');
}

function nameOfRoot(connection: SqliteConnection, root: number): string | undefined {
  if (root === 1) return 'sqlite_schema';
  const find = connection.prepare<[number], [string]>('SELECT name FROM sqlite_schema WHERE rootpage = ?').raw(true);
  return find.get(root)?.[0];
}
