import {
  DiskFull,
  FileInaccessible,
  FileLocked,
  FileMissing,
  FileVanished,
  IncompleteFiles,
  MigrationFailed,
  NotOurFile,
  openingError,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import {
  DatabaseLocked,
  DatabaseMissing,
  DatabaseUnwritable,
  DatabaseVanished,
  IncompleteDatabase,
  NotAChainDatabase,
  WrongSchema,
} from './errors';

/** Converts an error of an open to an error of this package; other errors are returned unchanged. */
export function toChainDbError(directory: string, error: unknown): unknown {
  if (error instanceof FileLocked) return new DatabaseLocked(directory);
  if (error instanceof FileMissing) return new DatabaseMissing(directory);
  if (error instanceof DiskFull) return new DatabaseUnwritable(directory, error);
  if (error instanceof FileInaccessible) return new DatabaseUnwritable(directory, error.cause);
  if (error instanceof IncompleteFiles) return new IncompleteDatabase(error);
  if (error instanceof FileVanished) return new DatabaseVanished(error);
  if (error instanceof NotOurFile) return new NotAChainDatabase(error.file, error.reason, causeOf(error));
  if (error instanceof WrongSchemaVersion) return new WrongSchema(error);
  if (error instanceof MigrationFailed) return toChainDbError(directory, openingError(error, error.cause));
  return error;
}

function causeOf({ cause }: Error): ErrorOptions {
  return cause === undefined ? {} : { cause };
}
