import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { keyImageChecksum, outputChecksum } from '../rows/checksums';
import { joined } from '../rows/facts';
import type { RestoredOutput } from './restored-block';
import { orNothing } from './tolerant';

/** A row of a table that is numbered from 0 in the order of the chain. */
export interface NumberedRow<T> {
  readonly height: number;
  readonly value: T;
  readonly sound: boolean;
}

/** Reads such a table; a row that cannot be read is undefined. */
export interface NumberedTable<T> {
  readonly count: number;
  at(index: number): NumberedRow<T> | undefined;
  same(a: T, b: T): boolean;
}

const CHUNK = 500;

/** Rows by index, some hundreds at a time; where a chunk cannot be read, one by one. */
function chunked<R extends readonly [number, ...unknown[]]>(
  between: SqliteStatement<[number, number], R>,
): (index: number) => R | undefined {
  let start = -1;
  let rows = new Map<number, R>();
  return (index) => {
    const first = Math.floor(index / CHUNK) * CHUNK;
    if (first !== start) {
      start = first;
      const all = orNothing(() => between.all(first, first + CHUNK));
      const single = (i: number): R[] => orNothing(() => between.all(first + i, first + i + 1)) ?? [];
      rows = new Map((all ?? Array.from({ length: CHUNK }, (_, i) => i).flatMap(single)).map((row) => [row[0], row]));
    }
    return rows.get(index);
  };
}

type OutputColumns = readonly [number, Buffer, number, number, number, number, number];
type ImageColumns = readonly [number, Buffer, number, number];

/** The outputs of one amount. */
export function outputTable(connection: SqliteConnection, id: number, amount: bigint): NumberedTable<RestoredOutput> {
  const read = chunked(
    connection
      .prepare<[number, number], OutputColumns>(
        `SELECT global_index, key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position, checksum
         FROM outputs WHERE amount_id = ${id} AND global_index >= ? AND global_index < ?`,
      )
      .raw(true),
  );
  const at = (index: number): NumberedRow<RestoredOutput> | undefined => {
    const row = read(index);
    if (row === undefined) return undefined;
    const [, key, height, unlockLow, unlockHigh, position, sum] = row;
    const sound = outputChecksum(amount, index, { key, height, unlockLow, unlockHigh, position }) === sum;
    return { height, sound, value: { amount, key, unlockTime: joined(unlockLow, unlockHigh), position } };
  };
  return {
    count: countOf(
      connection,
      `SELECT max(global_index) FROM outputs WHERE amount_id = ${id} AND global_index < ?`,
      at,
    ),
    at,
    same: (a, b) => a.key.equals(b.key) && a.unlockTime === b.unlockTime && a.position === b.position,
  };
}

/** Spent key images. */
export function imageTable(connection: SqliteConnection): NumberedTable<Buffer> {
  const read = chunked(
    connection
      .prepare<[number, number], ImageColumns>(
        'SELECT id, image, height, checksum FROM key_images WHERE id >= ? AND id < ?',
      )
      .raw(true),
  );
  const at = (index: number): NumberedRow<Buffer> | undefined => {
    const row = read(index);
    if (row === undefined) return undefined;
    const [, image, height, sum] = row;
    return { height, value: image, sound: keyImageChecksum(index, image, height) === sum };
  };
  return {
    count: countOf(connection, 'SELECT max(id) FROM key_images WHERE id < ?', at),
    at,
    same: (a, b) => a.equals(b),
  };
}

/** How many rows there are: up to the highest one that is whole, and those above it, whatever number damage gave them. */
function countOf(
  connection: SqliteConnection,
  sql: string,
  at: (index: number) => NumberedRow<unknown> | undefined,
): number {
  const below = orNothing(() => connection.prepare<[number], [number | null]>(sql).raw(true));
  let bound = Number.MAX_SAFE_INTEGER;
  for (let above = 0; ; above++) {
    const index = orNothing(() => below?.get(bound)?.[0]) ?? -1;
    if (index < 0 || at(index)?.sound === true) return index + 1 + above;
    bound = index;
  }
}
