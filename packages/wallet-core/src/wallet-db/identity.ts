import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SqliteConnection } from '@wrkz/sqlite';
import type { WalletContent } from '../ledger/model';
import type { RowSealer } from './seal';

/** Reason why a database may lack changes made before `since`. */
export type DatabaseLoss = 'missing' | 'damaged' | 'outdated';

export interface WalletDbIdentity {
  /** Random id of the database, 32 hex characters. */
  readonly database: string;
  /** Unix milliseconds. The database is complete from this time on. */
  readonly since: number;
  /** Undefined without a detected loss. */
  readonly loss?: DatabaseLoss | undefined;
  /** Whether the operator resumed sends despite the loss. */
  readonly isLossAcknowledged: boolean;
}

/**
 * Binds a container to its wallet database, so that a missing or outdated database is detected. Stored in two container
 * fields that the C++ wallets do not have and drop on save.
 */
export interface WalletDbMark {
  /** Random id of the database, 32 hex characters. */
  readonly database: string;
  /** Position of the database up to which the container includes all changes. */
  readonly position: number;
}

const DATABASE_FIELD = 'walletDb';
const POSITION_FIELD = 'walletDbPosition';

/** Undefined if the container was saved without a wallet database. */
export function walletDbMarkOf({ unknownFields }: Pick<WalletContent, 'unknownFields'>): WalletDbMark | undefined {
  const { [DATABASE_FIELD]: database, [POSITION_FIELD]: position } = unknownFields.get('') ?? {};
  if (typeof database !== 'string') return undefined;
  const isPosition = typeof position === 'string' && /^\d{1,15}$/.test(position);
  return { database, position: isPosition ? Number(position) : 0 };
}

export function withWalletDbMark(content: WalletContent, { database, position }: WalletDbMark): WalletContent {
  const root = { ...content.unknownFields.get(''), [DATABASE_FIELD]: database, [POSITION_FIELD]: String(position) };
  return { ...content, unknownFields: new Map([...content.unknownFields, ['', root]]) };
}

/** Name of the table with the identity, and key of its single row. */
export const IDENTITY = 'identity';

/** Size of the file prefix that contains the identity row: its table is the first one and never grows. */
const FIRST_BYTES = 64 * 4096;

/** Offsets in the header of an SQLite file. */
const PAGE_SIZE_AT = 16;
const FORMAT_VERSIONS_AT = 18;
const PAGES_AT = 28;
const HEADER_BYTES = 100;

/**
 * Whether the file is the database of another wallet. The first pages are opened as an in-memory database, because SQLite
 * may apply a log to a file that it opens. False if the pages cannot be read.
 */
export function isForeignDatabaseFile(file: string, sealer: RowSealer): boolean {
  const bytes = firstPages(file);
  if (bytes === undefined) return false;
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(bytes);
    return isForeign(connection, sealer);
  } catch {
    return false;
  } finally {
    connection?.close();
  }
}

/** Whether the identity row was sealed under another key. False if there is no row. */
export function isForeign(connection: SqliteConnection, sealer: RowSealer): boolean {
  const statement = connection.prepare<[], [number, Buffer, Buffer]>(`SELECT sequence, id, sealed FROM ${IDENTITY}`);
  const row = statement.raw(true).get();
  if (row === undefined) return false;
  const [sequence, id, sealed] = row;
  const ownId = sealer.id(IDENTITY, IDENTITY);
  // If only one of id and seal mismatches, the row is damaged, not foreign.
  return !id.equals(ownId) && !sealer.isAuthentic({ table: IDENTITY, id: ownId, sequence }, sealed);
}

/** The first pages, with the header adjusted to their number; undefined if the file is shorter than a header. */
function firstPages(file: string): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(FIRST_BYTES, fstatSync(descriptor).size));
    if (readSync(descriptor, bytes) < HEADER_BYTES) return undefined;
    // Version 1 is a rollback journal: an in-memory database cannot have a write-ahead log.
    bytes.fill(1, FORMAT_VERSIONS_AT, FORMAT_VERSIONS_AT + 2);
    const pageSize = Math.max(1, bytes.readUInt16BE(PAGE_SIZE_AT));
    bytes.writeUInt32BE(Math.floor(bytes.length / pageSize), PAGES_AT);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
