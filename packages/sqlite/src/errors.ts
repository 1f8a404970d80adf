import { failureCode, failureText, isDamage, isDiskFull } from './failure';

/** The file that an error is about. */
export interface FileName {
  readonly file: string;
  /** Name of the file for the operator, such as "event journal". */
  readonly title: string;
  /** The option that moves the file to another disk, such as `--data-dir`. */
  readonly option?: string;
}

/** Base class of the errors of this package. `name` is stable and is logged. */
export class SqliteFileError extends Error {
  readonly file: string;
  readonly title: string;

  constructor({ file, title }: FileName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.file = file;
    this.title = title;
  }
}

/** Another process, or another writer of this process, holds the file. */
export class FileLocked extends SqliteFileError {}

/** The file was not changed. `cause` is the error of the migration. */
export class MigrationFailed extends SqliteFileError {}

/** Database, write-ahead log and control file are incomplete, or do not belong together. No file was changed. */
export class IncompleteFiles extends SqliteFileError {}

/** An open file was removed or replaced, or can no longer be written. `file` is that file. */
export class FileVanished extends SqliteFileError {
  constructor(name: FileName, file: string, what: string, options?: ErrorOptions) {
    super({ ...name, file }, `${file} of the open ${name.title} ${what}`, options);
  }
}

/** The target of the backup exists, or the copy was damaged and deleted. `file` is the target. */
export class BackupFailed extends SqliteFileError {}

/** There is no database, and the caller did not allow a new one. */
export class FileMissing extends SqliteFileError {
  constructor(name: FileName) {
    super(name, `there is no ${name.title} at ${name.file}`);
  }
}

/** The file, or a file beside it, cannot be opened, read or written; `cause` is the error of the system. */
export class FileInaccessible extends SqliteFileError {
  constructor(name: FileName, cause: unknown, message?: string) {
    super(name, message ?? `cannot use the ${name.title} ${name.file}: ${failureText(cause)}`, { cause });
  }
}

/** The disk of the file is full. Nothing was changed. */
export class DiskFull extends FileInaccessible {
  constructor(name: FileName, cause: unknown) {
    const move = name.option === undefined ? '' : `, or move the files to another disk with ${name.option}`;
    const what = `the disk is full: cannot write the ${name.title} ${name.file}`;
    super(name, cause, `${what}. Free space on that disk${move}`);
  }
}

/** The file belongs to another program or has invalid content. */
export class NotOurFile extends SqliteFileError {
  constructor(
    name: FileName,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(name, `${name.file} is not the ${name.title} it should be: ${reason}`, options);
  }
}

/** The schema is newer than this program, or older and the file is open for reading. */
export class WrongSchemaVersion extends SqliteFileError {
  /** @param found version of the file @param wanted version of this program */
  constructor(
    name: FileName,
    readonly found: number,
    readonly wanted: number,
  ) {
    const isNewer = found > wanted;
    const advice = isNewer ? 'it was written by a newer program' : 'open it for writing first, to upgrade it';
    super(name, `the ${name.title} ${name.file} has schema version ${found}, this program reads ${wanted}: ${advice}`);
  }
}

/** The write-ahead log lacks commits or belongs to another database. No file was changed. */
export class WrongLog extends IncompleteFiles {
  constructor(name: FileName, reason: string) {
    const { title, file } = name;
    const remedy = `To go on without its commits, move ${file}-wal and ${file}-control away`;
    super(
      name,
      `the write-ahead log ${file}-wal of the ${title} cannot be used: ${reason}. ` +
        `Put back the files ${file}* of one moment. ${remedy}`,
    );
  }
}

/** The database and its control file do not belong together. No file was changed. */
export class NotAdopted extends IncompleteFiles {
  /** @param command adopts the database; undefined if every open for writing does, and one for reading without control file */
  constructor(name: FileName, reason: string, command?: string) {
    const act = command === undefined ? `remove ${name.file}-control` : `run: ${command} ${name.file}`;
    const remedy = `To use it here, ${act}`;
    super(name, `the ${name.title} ${name.file} was copied or replaced: ${reason}. ${remedy}`);
  }
}

/** A failed read or write of the system or of SQLite as an error of this package. */
export function accessError(name: FileName, error: unknown): FileInaccessible {
  return isDiskFull(error, name.file) ? new DiskFull(name, error) : new FileInaccessible(name, error);
}

/** An error of an open as an error of this package; errors of other modules stay as they are. */
export function openingError(name: FileName, error: unknown): unknown {
  const code = failureCode(error);
  if (!/^(SQLITE_|E[A-Z]+$)/.test(code)) return error;
  const isUnreadable = isDamage(error) || code === 'SQLITE_ERROR';
  return isUnreadable ? new NotOurFile(name, failureText(error), { cause: error }) : accessError(name, error);
}
