import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SqliteConnection } from '@wrkz/sqlite';
import type { RowSealer } from './seal';

/** Name of the table with the one row that says which database this is, and key of that row. */
export const IDENTITY = 'identity';

/** The identity row is in one of the first pages: its table is the first one, and it never grows. */
const FIRST_BYTES = 64 * 4096;

/** Offsets in the header of an SQLite file. */
const PAGE_SIZE_AT = 16;
const FORMAT_VERSIONS_AT = 18;
const PAGES_AT = 28;
const HEADER_BYTES = 100;

/**
 * Whether the database file belongs to another wallet. SQLite never opens the file itself, since that may change it or the
 * files beside it: the first pages are opened as a database in memory. False where they cannot be read as one.
 */
export function isForeignDatabaseFile(file: string, sealer: RowSealer): boolean {
  const bytes = firstPages(file);
  if (bytes === undefined) return false;
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(bytes, { readonly: true });
    return isForeign(connection, sealer);
  } catch {
    return false;
  } finally {
    connection?.close();
  }
}

/** Whether another key sealed the identity row. False where there is none. */
export function isForeign(connection: SqliteConnection, sealer: RowSealer): boolean {
  const statement = connection.prepare<[], [number, Buffer, Buffer]>(`SELECT sequence, id, sealed FROM ${IDENTITY}`);
  const row = statement.raw(true).get();
  if (row === undefined) return false;
  const [sequence, id, sealed] = row;
  const ownId = sealer.id(IDENTITY, IDENTITY);
  // Of a row that is ours and damaged, one of both is right.
  return !id.equals(ownId) && !sealer.isAuthentic({ table: IDENTITY, id: ownId, sequence }, sealed);
}

/** The first pages, with a header that fits; undefined when the file has no header. */
function firstPages(file: string): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(FIRST_BYTES, fstatSync(descriptor).size));
    if (readSync(descriptor, bytes) < HEADER_BYTES) return undefined;
    // Versions 1: a database in memory cannot have a write-ahead log.
    bytes.fill(1, FORMAT_VERSIONS_AT, FORMAT_VERSIONS_AT + 2);
    const pageSize = Math.max(1, bytes.readUInt16BE(PAGE_SIZE_AT));
    bytes.writeUInt32BE(Math.floor(bytes.length / pageSize), PAGES_AT);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
