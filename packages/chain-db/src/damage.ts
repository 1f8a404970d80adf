import { sqliteFailure } from '@wrkz/sqlite';
import { CorruptDatabase } from './errors';

/** What SQLite raises where bytes that it reads are not those that it wrote. A short read is a file that ends too soon. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|IOERR_READ|IOERR_DATA|IOERR_CORRUPTFS)/;

/**
 * The damage of the stored chain that an error tells of, its causes included; undefined for any other error. A disk that
 * cannot be read counts as damage, one that is full does not.
 */
export function damageIn(error: unknown): CorruptDatabase | undefined {
  if (error instanceof CorruptDatabase) return error;
  const failure = sqliteFailure(error);
  if (failure !== undefined) {
    return DAMAGE.test(failure.code) ? new CorruptDatabase(failure.message, { cause: error }) : undefined;
  }
  return error instanceof Error && error.cause !== undefined ? damageIn(error.cause) : undefined;
}
