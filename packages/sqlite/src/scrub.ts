import { closeSync, openSync, readSync } from 'node:fs';
import type { SqliteConnection } from './library';

/**
 * The lowest of the pages [first, first + count) of the file that does not fit its checksum; undefined when all do, and behind
 * the end of the file. Pages in the write-ahead log are not read.
 */
export function firstBadPage(connection: SqliteConnection, first: number, count: number): number | undefined {
  const find = connection.prepare<[number, number], [number | null]>('SELECT first_bad_page(?, ?)').raw(true);
  return find.get(first, count)?.[0] ?? undefined;
}

const RESERVED_BYTES = 8;
const ENTRY_BYTES = 5;
const FIRST_MAP = 2;
const ROOT = 1;
/** Far more levels than a tree and its overflow chains have between two pages of a sound file. */
const MAX_STEPS = 100_000;

/**
 * The table or index that a page of the file belongs to, by the pointer maps of a file with incremental vacuum, which name the
 * parent of each page (https://www.sqlite.org/fileformat.html#pointer_map_or_ptrmap_pages). Undefined for an empty page, for a
 * page of the maps, and where the maps do not tell.
 */
export function tableOfPage(connection: SqliteConnection, page: number): string | undefined {
  const pageSize = Number(connection.pragma('page_size', { simple: true }));
  const perMap = Math.floor((pageSize - RESERVED_BYTES) / ENTRY_BYTES) + 1;
  const descriptor = openSync(connection.name, 'r');
  try {
    const entry = Buffer.alloc(ENTRY_BYTES);
    let at = page;
    for (let step = 0; step < MAX_STEPS && at > FIRST_MAP; step++) {
      const map = Math.floor((at - FIRST_MAP) / perMap) * perMap + FIRST_MAP;
      if (at === map) return undefined;
      const position = (map - 1) * pageSize + (at - map - 1) * ENTRY_BYTES;
      if (readSync(descriptor, entry, 0, ENTRY_BYTES, position) < ENTRY_BYTES) return undefined;
      if (entry[0] === ROOT) return nameOfRoot(connection, at);
      at = entry.readUInt32BE(1);
    }
    return at === 1 ? 'sqlite_schema' : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function nameOfRoot(connection: SqliteConnection, root: number): string | undefined {
  const find = connection.prepare<[number], [string]>('SELECT name FROM sqlite_schema WHERE rootpage = ?').raw(true);
  return find.get(root)?.[0];
}
