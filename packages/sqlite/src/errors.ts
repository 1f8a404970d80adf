import { failureText, isDamage, sqliteFailure } from './failure';

/** Everything this package refuses, one class a reason. `code` is stable and goes into logs and exit messages. */
export type SqliteFileErrorCode =
  | 'LOCKED'
  | 'MISSING'
  | 'INACCESSIBLE'
  | 'NOT_OURS'
  | 'WRONG_VERSION'
  | 'SETTING_REFUSED'
  | 'MIGRATION_FAILED'
  | 'TARGET_EXISTS'
  | 'BACKUP_DAMAGED'
  | 'WRONG_LOG'
  | 'CUT_SHORT'
  | 'VANISHED';

/** Which file an error speaks of: its path and what the operator calls it ("event journal"). */
export interface FileName {
  readonly file: string;
  readonly title: string;
}

export class SqliteFileError extends Error implements FileName {
  readonly file: string;
  readonly title: string;

  constructor(
    readonly code: SqliteFileErrorCode,
    { file, title }: FileName,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
    this.file = file;
    this.title = title;
  }
}

/** Another process, or another writer of this one, holds the file. */
export class FileLocked extends SqliteFileError {
  constructor(name: FileName) {
    super('LOCKED', name, `the ${name.title} ${name.file} is in use by another running program`);
  }
}

/** There is no database and none was to be created. */
export class FileMissing extends SqliteFileError {
  constructor(name: FileName) {
    super('MISSING', name, `there is no ${name.title} at ${name.file}`);
  }
}

/** The system lets the file, or one beside it, not be opened, read or written; `cause` is its error. */
export class FileInaccessible extends SqliteFileError {
  constructor(name: FileName, cause: unknown) {
    super('INACCESSIBLE', name, `cannot use the ${name.title} ${name.file}: ${failureText(cause)}`, { cause });
  }
}

/** The file is there but holds something else, or nothing that can be read. */
export class NotOurFile extends SqliteFileError {
  constructor(
    name: FileName,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super('NOT_OURS', name, `${name.file} is not the ${name.title} it should be: ${reason}`, options);
  }
}

/** The schema is newer than this program, or older where nothing may be changed. */
export class WrongSchemaVersion extends SqliteFileError {
  /**
   * @param found version of the file; of a newer program's migration that was cut short, the version it leads to
   * @param wanted version that this program reads and writes
   */
  constructor(
    name: FileName,
    readonly found: number,
    readonly wanted: number,
  ) {
    const advice =
      found > wanted
        ? 'it was written by a newer program'
        : 'it must first be opened for writing to be brought up to date';
    super(
      'WRONG_VERSION',
      name,
      `the ${name.title} ${name.file} has schema version ${found}, this program reads ${wanted}: ${advice}`,
    );
  }
}

/** This build of SQLite, or this file, does not take a setting that the program depends on. */
export class SettingRefused extends SqliteFileError {
  constructor(name: FileName, setting: string, wanted: string | number, found: unknown) {
    super('SETTING_REFUSED', name, `SQLite did not take the setting ${setting} = ${wanted} (it is ${String(found)})`);
  }
}

/** A step of the schema's history failed; the file has the version before it. `cause` is what the step threw. */
export class MigrationFailed extends SqliteFileError {
  constructor(
    name: FileName,
    readonly version: number,
    step: string,
    cause: unknown,
  ) {
    const message = `migration ${version} (${step}) of the ${name.title} ${name.file} failed: ${failureText(cause)}`;
    super('MIGRATION_FAILED', name, message, { cause });
  }
}

/** A backup does not write over a file that is there. `file` is that one. */
export class TargetExists extends SqliteFileError {
  constructor(name: FileName) {
    super('TARGET_EXISTS', name, `${name.file} exists already, and a backup is not written over it`);
  }
}

/** What was copied is not a sound copy; it was removed again. `file` is the one that was to be written. */
export class BackupDamaged extends SqliteFileError {
  constructor(name: FileName, reason: string) {
    super('BACKUP_DAMAGED', name, `the backup ${name.file} was not kept: ${reason}`);
  }
}

/** The write-ahead log beside a file is missing, or is not the one that belongs to it; neither was touched. */
export class WrongLog extends SqliteFileError {
  constructor(
    name: FileName,
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(
      'WRONG_LOG',
      name,
      `the write-ahead log of the ${name.title} ${name.file} cannot be used: ${reason}. ${remedy}`,
    );
  }
}

/** The file ends before the database does; it was not touched. */
export class FileCutShort extends SqliteFileError {
  /** @param pages whole pages of the file @param wanted pages that the database has */
  constructor(
    name: FileName,
    readonly pages: number,
    readonly wanted: number,
  ) {
    super(
      'CUT_SHORT',
      name,
      `the ${name.title} ${name.file} was cut short: ${pages} pages of ${wanted} are there. ` +
        `Put it back from a backup, or move it away with the files of its name to begin anew`,
    );
  }
}

/** An open file no longer stands under its name, or can no longer be written there. `file` is the one in question. */
export class FileVanished extends SqliteFileError {
  constructor(name: FileName, what: string, cause?: unknown) {
    const why = cause === undefined ? '' : `: ${failureText(cause)}`;
    super('VANISHED', name, `${name.file} of the open ${name.title} ${what}${why}`, { cause });
  }
}

/** The file of the lock holds something else, and was not touched. */
export class NotALock extends FileInaccessible {
  constructor(
    name: FileName,
    readonly lockFile: string,
  ) {
    const what = `${lockFile} holds something else than a lock: while no program uses the ${name.title}, remove that file`;
    super(name, new Error(what));
  }
}

/** An error of opening in the terms of this package: SQLite's own by what they mean, any other as it is. */
export function openingError(name: FileName, error: unknown): unknown {
  const failure = sqliteFailure(error);
  if (failure === undefined) return error;
  if (isDamage(error) || failure.code === 'SQLITE_ERROR') {
    return new NotOurFile(name, failure.message, { cause: error });
  }
  return new FileInaccessible(name, error);
}
