import type { SqliteConnection } from '@wrkz/sqlite';
import { readMeta, writeMeta } from '../meta';
import { LiteDatabase, LiteHeightDiffers, NotALiteDatabase, UnreadableLiteMark } from './lite-errors';

/** The text of the mark, as the reference has it. */
const MARK = /^lite:([1-9]\d{0,9})$/;

/** The lite height that a mark names; undefined for what is no mark. */
export function parseLiteMark(text: string): number | undefined {
  const height = MARK.exec(text)?.[1];
  return height === undefined ? undefined : Number(height);
}

/** @throws RangeError for what can be no lite height */
export function assertLiteHeight(height: number | undefined): void {
  if (height === undefined || parseLiteMark(`lite:${height}`) === height) return;
  throw new RangeError(`a lite height is a whole number from 1 on, not ${height}`);
}

/** Marks a new database, for good. Bodies are kept from the lite height on. */
export function markLite(connection: SqliteConnection, height: number): void {
  writeMeta(connection, 'lite_node_profile', `lite:${height}`);
  writeMeta(connection, 'body_floor', String(height));
}

/** The lite height of a database; undefined where it is none. @throws UnreadableLiteMark */
export function readLiteMark(connection: SqliteConnection): number | undefined {
  const text = readMeta(connection, 'lite_node_profile');
  if (text === undefined) return undefined;
  const height = parseLiteMark(text);
  if (height === undefined) throw new UnreadableLiteMark();
  return height;
}

/**
 * Holds what was asked for against how the database was made. For reading, no height need be named.
 * @throws NotALiteDatabase, LiteDatabase, LiteHeightDiffers, UnreadableLiteMark
 */
export function checkLiteMark(connection: SqliteConnection, asked: number | undefined, mode: 'read' | 'write'): void {
  const height = readLiteMark(connection);
  if (height === undefined) {
    if (hasLostMark(connection)) throw new UnreadableLiteMark();
    if (asked !== undefined) throw new NotALiteDatabase();
  } else if (asked === undefined) {
    if (mode === 'write') throw new LiteDatabase(height);
  } else if (asked !== height) {
    throw new LiteHeightDiffers(height, asked);
  }
}

/** Whether a database without a mark has what only a lite one has: no bodies and no transactions of its lower blocks. */
function hasLostMark(connection: SqliteConnection): boolean {
  const counts = (sql: string): boolean => connection.prepare<[], [number]>(sql).raw(true).get() !== undefined;
  return (
    !['0', undefined].includes(readMeta(connection, 'body_floor')) &&
    counts('SELECT 1 FROM blocks WHERE height = 1') &&
    !counts('SELECT 1 FROM transactions WHERE id = 1')
  );
}
