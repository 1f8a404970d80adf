import { lowerBound } from '@wrkz/core-types';
import { childPages, isFreeLeaf, pageOwner, type PageOwner, type SqliteConnection } from '@wrkz/sqlite';
import { CorruptDatabase } from './errors';
import { damageIn } from './failures';

/** The tables with the bytes of blocks: their rows can be recomputed from blocks of peers. */
const BLOCK_TABLES = ['block_bodies', 'signatures', 'transactions'];

/** Table and blocks of a page of the database file. */
export interface PageLocation {
  readonly owner: PageOwner;
  /** First and last height of the blocks with rows on the page; undefined for an inner page and for an index. */
  readonly heights: readonly [first: number, last: number] | undefined;
  /** The source from which the page can be rebuilt: blocks, its child pages, or other tables. A free page has no data. */
  readonly source: 'blocks' | 'pages' | 'tables' | 'free' | undefined;
}

const FREE_PAGE = { table: 'the free list', overflow: undefined, rows: undefined };

/**
 * The table and heights of a page; undefined if other damage prevents it, for a pointer map, and for a trunk page of the
 * free list, which refers to other free pages.
 */
export function pageLocation(connection: SqliteConnection, page: number): PageLocation | undefined {
  try {
    const owner = pageOwner(connection, page);
    if (owner === undefined) {
      const isFree = isFreeLeaf(connection, page);
      return isFree ? { owner: { ...FREE_PAGE, treePage: page }, heights: undefined, source: 'free' } : undefined;
    }
    const isInner = owner.rows !== undefined && childPages(connection, page).length > 0;
    // The heights are read through the inner pages of the tables.
    const heights = isInner ? undefined : heightsOf(connection, owner);
    return { owner, heights, source: isInner ? 'pages' : sourceOf(owner, heights) };
  } catch (error) {
    if (damageIn(error) === undefined && !(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function sourceOf({ table }: PageOwner, heights: PageLocation['heights']): PageLocation['source'] {
  if (heights === undefined) return undefined;
  if (table === 'rules_digests') return 'tables';
  return BLOCK_TABLES.includes(table) ? 'blocks' : undefined;
}

/** A page with its table and blocks, for a message. */
export function pageText(page: number, location: PageLocation | undefined): string {
  const table = location === undefined ? '' : ` of ${location.owner.table}`;
  const [first, last] = location?.heights ?? [];
  const blocks = first === undefined ? '' : first === last ? ` (block ${first})` : ` (blocks ${first} to ${last})`;
  return `page ${page}${table}${blocks}`;
}

/** The damage in an error, with table and blocks added if SQLite only reports a page; undefined for any other error. */
export function damageWithTable(connection: SqliteConnection, error: unknown): CorruptDatabase | undefined {
  const damage = damageIn(error);
  const page = Number(/page (\d+),? does not fit/.exec(damage?.reason ?? '')?.[1]);
  if (damage === undefined || Number.isNaN(page)) return damage;
  const text = pageText(page, pageLocation(connection, page));
  return new CorruptDatabase(damage.reason.replace(`page ${page}`, text), { cause: error });
}

function heightsOf(connection: SqliteConnection, { table, rows }: PageOwner): PageLocation['heights'] {
  if (rows === undefined) return undefined;
  const tip = numberOf(connection, 'SELECT max(height) FROM blocks') ?? -1;
  const clipped = (height: number): number => Math.min(Math.max(height, 0), tip);
  switch (table) {
    case 'blocks':
    case 'block_bodies':
    case 'rules_digests':
      return [clipped(rows.first), clipped(rows.last)];
    case 'signatures':
    case 'transactions': {
      const heightOf = (id: number): number =>
        lowerBound(0, tip + 1, (height) => (transactionsUpTo(connection, height) ?? 0) <= id);
      return [clipped(heightOf(rows.first)), clipped(heightOf(rows.last))];
    }
    case 'key_images': {
      const end = (numberOf(connection, 'SELECT max(id) FROM key_images') ?? -1) + 1;
      const heightAt = (id: number): number =>
        numberOf(connection, `SELECT height FROM key_images WHERE id = ${id}`) ?? 0;
      // The rows of the page cannot be read: the heights of the neighbouring rows bound theirs.
      return [rows.first <= 0 ? 0 : heightAt(rows.first - 1), rows.last + 1 >= end ? tip : heightAt(rows.last + 1)];
    }
    default:
      return undefined;
  }
}

/** Transactions up to and including a block. */
export function transactionsUpTo(connection: SqliteConnection, height: number): number | undefined {
  return numberOf(connection, `SELECT generated_transactions FROM blocks WHERE height = ${height}`);
}

function numberOf(connection: SqliteConnection, sql: string): number | undefined {
  return connection.prepare<[], [number | null]>(sql).raw(true).get()?.[0] ?? undefined;
}
