import { fstatSync, readSync } from 'node:fs';
import { NotOurFile, type FileName } from './errors';
import type { SqliteConnection } from './library';
import { logFile, reading, type LogScan } from './log-scan';
import { PAGE_CHECKSUM_BYTES, fitsChecksum } from './page-checksum';

/** The identity that a database stores. */
export interface DatabaseIdentity {
  /** 32 hex characters. */
  readonly id: string;
  /** Number of the last session that wrote: each open for writing begins a session. */
  readonly session: number;
}

const MARK = Buffer.from('database id 1 ');
const ID_BYTES = 16;

/** The first table of every database, so that its page can be found without SQLite. Its only row has mark, id and session. */
export function createIdentityTable(connection: SqliteConnection): void {
  connection.exec('CREATE TABLE database_identity (identity BLOB NOT NULL) STRICT');
}

export function writeIdentity(connection: SqliteConnection, { id, session }: DatabaseIdentity): void {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(session);
  const identity = Buffer.concat([MARK, Buffer.from(id, 'hex'), number]);
  connection.prepare('INSERT OR REPLACE INTO database_identity (rowid, identity) VALUES (1, ?)').run(identity);
}

function identityIn(page: Buffer | undefined): DatabaseIdentity | undefined {
  const at = page === undefined ? -1 : page.indexOf(MARK) + MARK.length;
  if (page === undefined || at < MARK.length) return undefined;
  return { id: page.toString('hex', at, at + ID_BYTES), session: page.readUInt32BE(at + ID_BYTES) };
}

/** Header and identity of a database, read without SQLite, which would create files and locks. */
export interface DatabaseHead {
  readonly pageSize: number;
  /** Whole pages in the file. */
  readonly pages: number;
  /** Number of pages of the database according to file and log; 0 if the writer of the header does not maintain the count. */
  readonly countedPages: number;
  readonly applicationId: number;
  readonly userVersion: number;
  readonly hasTables: boolean;
  /** The identity in the newest page, of the log or the file. Undefined if there is none. */
  readonly identity: DatabaseIdentity | undefined;
  /** The identity in the file, without the log. Undefined if there is none, or if a kill left the page half-written. */
  readonly stored: DatabaseIdentity | undefined;
  /** Whether the log has the identity. */
  readonly isInLog: boolean;
}

const HEADER_BYTES = 100;
const INTERIOR_PAGE = 5;

/** Undefined for a file that is missing or empty. @throws NotOurFile, FileInaccessible */
export function readHead(name: FileName, log: LogScan | undefined): DatabaseHead | undefined {
  return reading(name, logFile(name.file), (descriptor) => headOf(name, log, descriptor)) ?? headOf(name, undefined);
}

function headOf(name: FileName, log?: LogScan, logDescriptor?: number): DatabaseHead | undefined {
  return reading(name, name.file, (file) => {
    const { size } = fstatSync(file);
    if (size === 0) return undefined;
    const start = bytesAt(file, HEADER_BYTES, 0);
    const pageSize = start.readUInt16BE(16) === 1 ? 65_536 : start.readUInt16BE(16);
    const isDatabase = start.toString('latin1').startsWith('SQLite format 3\0') && pageSize >= 512;
    if (!isDatabase) throw new NotOurFile(name, 'file is not a database');
    const reserved = start.readUInt8(20);
    const problem = `${name.file}: page 1 reserves ${reserved} bytes instead of ${PAGE_CHECKSUM_BYTES}`;
    if (reserved !== PAGE_CHECKSUM_BYTES) throw new NotOurFile(name, problem);
    const stored = (page: number): Buffer | undefined => {
      const bytes = bytesAt(file, pageSize, (page - 1) * pageSize);
      return fitsChecksum(bytes) ? bytes : undefined;
    };
    const newest = (page: number): Buffer => {
      const at = log?.pages.get(page);
      const bytes =
        at === undefined || logDescriptor === undefined ? stored(page) : bytesAt(logDescriptor, pageSize, at);
      if (bytes !== undefined) return bytes;
      throw new NotOurFile(name, `${name.file}: page ${page} does not fit its checksum`);
    };
    const header = newest(1);
    // Only a file with pointer maps has a largest root page. The first map is page 2.
    const page = header.readUInt32BE(52) === 0 ? 2 : 3;
    const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92);
    return {
      pageSize,
      pages: Math.floor(size / pageSize),
      countedPages: log?.databasePages ?? (isCounted ? header.readUInt32BE(28) : 0),
      applicationId: header.readUInt32BE(68),
      userVersion: header.readInt32BE(60),
      hasTables: header.readUInt8(HEADER_BYTES) === INTERIOR_PAGE || header.readUInt16BE(HEADER_BYTES + 3) > 0,
      identity: identityIn(newest(page)),
      stored: identityIn(stored(page)),
      isInLog: log?.pages.has(page) === true,
    };
  });
}

/** Bytes beyond the end of the file are 0. */
function bytesAt(descriptor: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}
