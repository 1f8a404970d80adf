import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lastPageFailure } from './library';

/** An error of SQLite; `code` is like SQLITE_FULL. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * The error as an error of SQLite, undefined for any other. For a page that does not fit its checksum the message contains file
 * and page. Checks the shape, not the class: a process may contain several copies of the library.
 */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const { message } = error;
  const code = failureCode(error);
  if (typeof message !== 'string' || !code.startsWith('SQLITE_')) return undefined;
  return { code, message: code === 'SQLITE_IOERR_DATA' ? (lastPageFailure() ?? message) : message };
}

/** Whether an error means that the content of a file differs from what was written. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_DATA|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(failureCode(error));
}

/** SQLite replaces the error of the system by these codes; its backup API only reports SQLITE_IOERR. */
const FAILED_WRITE = /^SQLITE_IOERR(_WRITE|_FSYNC|_TRUNCATE|_SHMSIZE)?$/;
const FULL_BELOW_BYTES = 128 * 1024;

/** Whether a write to a file failed because the disk, or the quota of the owner, is full. */
export function isDiskFull(error: unknown, file: string): boolean {
  const code = failureCode(error);
  if (!FAILED_WRITE.test(code)) return /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code);
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize < FULL_BELOW_BYTES;
}

/** The code of an error of SQLite or of the system; empty for any other error. */
export function failureCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The message of an error, without its class. */
export function failureText(error: unknown): string {
  return sqliteFailure(error)?.message ?? (error instanceof Error ? error.message : String(error));
}
