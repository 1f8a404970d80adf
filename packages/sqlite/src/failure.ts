import { lastPageFailure } from './library';

/** An error that SQLite raised; `code` is like SQLITE_FULL. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

const PAGE_CHECKSUM = 'SQLITE_IOERR_DATA';

/**
 * The error as one of SQLite's, undefined for any other; of a page that does not fit its checksum the message names file and
 * page. Recognized by its shape: where a process holds several copies of the library's module, the classes of its errors are
 * not one.
 */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return undefined;
  const { code, message } = error;
  if (typeof code !== 'string' || typeof message !== 'string' || !code.startsWith('SQLITE_')) return undefined;
  return { code, message: code === PAGE_CHECKSUM ? (lastPageFailure() ?? message) : message };
}

/** Whether an error says that the bytes of a file are not those that were written. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_DATA|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(sqliteFailure(error)?.code ?? '');
}

/** What an error says, in one line and without its class. */
export function failureText(error: unknown): string {
  return sqliteFailure(error)?.message ?? (error instanceof Error ? error.message : String(error));
}
