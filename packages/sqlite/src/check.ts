import { assertOurs, type SqliteConnectionOptions } from './connection';
import { readControlFile, type ControlRecord } from './control-file';
import { IncompleteFiles, NotAdopted, NotOurFile, WrongLog, type FileName } from './errors';
import { readHead, type DatabaseHead, type DatabaseIdentity } from './identity';
import type { SqliteConnection } from './library';
import { roundsAhead, scanLog, type LogScan } from './log-scan';
import { assertVersion, type MigrateOptions } from './migration';

export interface CheckOptions extends SqliteConnectionOptions, MigrateOptions {
  /** The command that adopts a copied database. Without it, an open for writing adopts an intact copy. */
  readonly adoptCommand?: string;
  /** Throws if this is another database than the caller expects. Called before any change. */
  readonly identify?: (connection: SqliteConnection) => void;
}

/** What is on disk before SQLite opens it. */
export interface FileCheck {
  /** Undefined if there is no database yet, or only a copy that was not adopted. */
  readonly record: ControlRecord | undefined;
  readonly identity: DatabaseIdentity | undefined;
  /** The write-ahead log, if it has commits. */
  readonly log: LogScan | undefined;
  /** The reason why the database must be adopted before it is written; undefined if it need not. */
  readonly refusal: NotAdopted | undefined;
  /** False after a kill, a power cut, or a stop that could not copy the log into the file. */
  readonly isCleanStop: boolean;
}

/**
 * Checks that database, write-ahead log and control file belong together and are complete. Changes nothing. SQLite alone would
 * delete a log without a database, apply every log with valid checksums, and ignore a log from the first invalid frame on.
 *
 * @throws NotOurFile, WrongLog, IncompleteFiles, WrongSchemaVersion, FileInaccessible
 */
export function checkFiles(options: CheckOptions): FileCheck {
  const scan = scanLog(options);
  const log = scan?.frames === 0 ? undefined : scan;
  const blank = { record: undefined, identity: undefined, log, refusal: undefined, isCleanStop: true };
  const control = readControlFile(options.file);
  const record = typeof control === 'object' ? control : undefined;
  const head = headOrLogProblem(options, log, () =>
    record ? logProblem(record, scan) : log && controlProblem(control),
  );
  if (head === undefined) {
    if (log !== undefined) throw new WrongLog(options, 'its database is missing or empty');
    // A link may be dangling, or a disk not mounted. Session 0 has never committed.
    if (record !== undefined && record.session > 0) throw new IncompleteFiles(options, missingText(options));
    return blank;
  }
  const reason = record && logProblem(record, scan, head.identity);
  if (reason !== undefined) throw new WrongLog(options, reason);
  assertOurs(head.applicationId, !head.hasTables, options);
  if (!head.hasTables) return blank;
  assertVersion(head.userVersion, options);
  if (head.identity === undefined) throw new NotOurFile(options, 'it has no id');
  const problem = controlProblem(control) ?? (record && identityProblem(record, log, head.identity, head));
  // A foreign log could overwrite an intact file with pages of another database.
  if (problem !== undefined && log !== undefined && (record !== undefined || !isOwnLog(head))) {
    throw new WrongLog(options, problem);
  }
  assertLength(options, head, log);
  const refusal = problem === undefined ? undefined : new NotAdopted(options, problem, options.adoptCommand);
  const isCleanStop = log === undefined && refusal === undefined && record?.isLogNeeded !== true;
  return { record: refusal === undefined ? record : undefined, identity: head.identity, log, refusal, isCleanStop };
}

function missingText({ title, file }: FileName): string {
  const what = `the ${title} ${file} is missing or empty, but its control file ${file}-control is there`;
  return `${what}. Put the database back, or remove ${file}-control to begin anew`;
}

/**
 * Reports an invalid log together with a damaged page: it must not be used to repair the page. @throws as `readHead`; WrongLog
 */
function headOrLogProblem(
  name: FileName,
  log: LogScan | undefined,
  problem: () => string | undefined,
): DatabaseHead | undefined {
  try {
    return readHead(name, log);
  } catch (error) {
    if (!(error instanceof NotOurFile)) throw error;
    const reason = problem();
    if (reason === undefined) throw error;
    throw new WrongLog(name, `${reason}. The database is damaged, too: ${error.reason}`);
  }
}

/** SQLite never uses the page that contains this byte. */
const LOCK_BYTE = 0x4000_0000;

/** Each page of the database must be in the file or in the log. @throws IncompleteFiles */
function assertLength(name: FileName, { pages, pageSize, countedPages: wanted }: DatabaseHead, log?: LogScan): void {
  for (let page = pages + 1; page <= wanted; page++) {
    if (page === LOCK_BYTE / pageSize + 1 || log?.pages.has(page) === true) continue;
    const what = `the ${name.title} ${name.file} was cut short: ${pages} pages of ${wanted} are there`;
    const remedy = `Put it back from a backup, or move all files ${name.file}* away to begin anew`;
    throw new IncompleteFiles(name, `${what}. ${remedy}`);
  }
}

/** The reason why the log does not match the control file, or lacks commits; undefined if it is valid. */
function logProblem(record: ControlRecord, scan?: LogScan, identity?: DatabaseIdentity): string | undefined {
  if (scan === undefined) return record.isLogNeeded ? 'it is missing or empty, or its header is damaged' : undefined;
  const { frames, commits, round } = scan;
  const ahead = roundsAhead(record.round, round);
  if (ahead === undefined) {
    // A session was killed between its first commit, which writes id and session, and the control file.
    const isBegin = commits === 1 && identity?.id === record.id && identity.session === record.session + 1;
    const isHarmless = !record.isLogNeeded && (frames === 0 || isBegin);
    return isHarmless ? undefined : 'it belongs to another database or another session';
  }
  if (ahead < 0) return 'it is older than the control file';
  // SQLite begins a round only after it has copied the previous round into the file.
  if (ahead > 0 || frames >= record.frames || (frames === 0 && !record.isLogNeeded)) return undefined;
  return `it has ${frames} of ${record.frames} committed frames, the next one is damaged or missing`;
}

function controlProblem(control: ControlRecord | 'damaged' | undefined): string | undefined {
  if (control === undefined) return 'there is no control file';
  return control === 'damaged' ? 'the control file is damaged' : undefined;
}

/** The reason why database and control file do not belong together; undefined if they do. */
function identityProblem(
  { id, session, fileSession }: ControlRecord,
  log: LogScan | undefined,
  identity: DatabaseIdentity,
  { stored, isInLog }: Pick<DatabaseHead, 'stored' | 'isInLog'>,
): string | undefined {
  if (identity.id !== id) return 'the control file belongs to another database';
  if (identity.session < session) return 'the database is older than the control file';
  // The first commit of a session is in the log before it is in the control file.
  if (identity.session > session + (isInLog ? 1 : 0)) return 'the control file is older than the database';
  if (log === undefined || fileSession === 0 || stored === undefined) return undefined;
  // A checkpoint copies no session into the file that the log does not have.
  const isOfLog = stored.id === id && stored.session >= fileSession && stored.session <= identity.session;
  return isOfLog ? undefined : 'the database is not the one that the log was written for';
}

/** Whether the log has the first commit of a session of this file. */
function isOwnLog({ identity, stored, isInLog }: DatabaseHead): boolean {
  return isInLog && identity !== undefined && stored?.id === identity.id && stored.session <= identity.session;
}
