import { isDamage, sqliteFailure } from '@wrkz/sqlite';
import { DatabaseAway } from './errors';

/**
 * Codes of SQLite for "not now": somebody holds the file or restores its log, or the disk does not answer. A commit, a
 * reorganisation and a first sync are no such times, since every read has its snapshot; damage is none either, because it
 * does not pass.
 */
const NOT_NOW = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR|CANTOPEN|NOMEM)/;

/** Whether an error of a reader says that the chain cannot be read at this moment, and may be read later. */
export function isUnreadableNow(error: unknown): boolean {
  return error instanceof DatabaseAway || (NOT_NOW.test(sqliteFailure(error)?.code ?? '') && !isDamage(error));
}
