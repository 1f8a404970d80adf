import { CorruptDatabase, DatabaseAway } from './errors';
import { isDamage, sqliteFailure } from '@wrkz/sqlite';

/**
 * The damage of the stored chain that an error tells of, its causes included; undefined for any other error. A disk that
 * cannot be read counts as damage, one that is full does not.
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
 * Codes of SQLite for "not now": somebody holds the file or restores its log, or the disk does not answer. A commit, a
 * reorganisation and a first sync do not count, since every read has its snapshot. Damage does not count, because it is
 * permanent.
 */
const NOT_NOW = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR|CANTOPEN|NOMEM)/;

/** Whether an error of a reader says that the chain cannot be read at this moment, and may be read later. */
export function isUnreadableNow(error: unknown): boolean {
  return error instanceof DatabaseAway || (NOT_NOW.test(sqliteFailure(error)?.code ?? '') && !isDamage(error));
}
