import { CorruptDatabase, DatabaseAway } from './errors';
import { isDamage, sqliteFailure } from '@wrkz/sqlite';

/**
 * The damage that an error or its cause reports; undefined for any other error. Read errors of the disk count as damage, a full
 * disk does not.
 */
export function damageIn(error: unknown): CorruptDatabase | undefined {
  if (error instanceof CorruptDatabase) return error;
  const failure = sqliteFailure(error);
  if (failure !== undefined) {
    return isDamage(error) || failure.code.startsWith('SQLITE_IOERR_READ')
      ? new CorruptDatabase(failure.message, { cause: error })
      : undefined;
  }
  return error instanceof Error && error.cause !== undefined ? damageIn(error.cause) : undefined;
}

/**
 * SQLite codes of temporary errors: the file is locked, its log is being recovered, or the disk does not respond. Commits and
 * reorganisations cause none, because each read has its snapshot.
 */
const NOT_NOW = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR|CANTOPEN|NOMEM)/;

/** Whether an error of a reader is temporary. */
export function isUnreadableNow(error: unknown): boolean {
  return error instanceof DatabaseAway || (NOT_NOW.test(sqliteFailure(error)?.code ?? '') && !isDamage(error));
}
