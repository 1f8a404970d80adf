import { isDamage, sqliteFailure } from '@wrkz/sqlite';
import { CorruptDatabase } from './errors';

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
