import { randomBytes } from 'node:crypto';
import { closeSync, openSync, truncateSync } from 'node:fs';
import type { CheckOptions, FileCheck } from './check';
import { assertSound, closeKeepingLog, isBlank, logState, truncateLog } from './connection';
import { ControlFile, newRecord, syncPath, type ControlRecord } from './control-file';
import { accessError, FileInaccessible } from './errors';
import { createIdentityTable, writeIdentity } from './identity';
import type { SqliteConnection } from './library';
import { logLength, logFile, readRound, scanLog } from './log-scan';
import { assertVersion, migrate, schemaVersion } from './migration';

export interface SessionOptions extends CheckOptions {
  /** Gives the database a new id, as for a copy. */
  readonly adopt?: boolean;
  /** Writes the first rows of a new file, in the transaction that creates the schema. */
  readonly onCreate?: (connection: SqliteConnection) => void;
}

/**
 * The session of the only writer, which updates the control file. After a kill or a power cut the control file may be older than
 * the log, but never newer, because SQLite syncs the log before the session writes the control file.
 */
export class WriteSession {
  private log: number | undefined;
  private readonly control: ControlFile;
  private readonly session: number;

  /**
   * Begins a session with a commit of id and session number, which identifies the log. The commit also creates or upgrades the
   * schema.
   * @throws NotOurFile, WrongSchemaVersion, MigrationFailed; errors of `identify` and `onCreate`
   */
  constructor(
    private readonly options: SessionOptions,
    private readonly connection: SqliteConnection,
    { record, identity, log }: FileCheck,
  ) {
    const isNew = isBlank(connection);
    if (!isNew) {
      options.identify?.(connection);
      assertVersion(schemaVersion(connection), options);
    }
    const isAdopted = record === undefined || options.adopt === true;
    const session = identity?.session ?? 0;
    if (isAdopted && !isNew) takeOver(connection, options, record && { ...record, session });
    const before = isAdopted ? newRecord(randomBytes(16).toString('hex'), 0, 0) : record;
    // After a kill the control file may be older than the log.
    const atLog = log === undefined || isAdopted ? {} : { isLogNeeded: true, round: log.round, frames: log.frames };
    this.control = ControlFile.create(options.file, { ...before, session, ...atLog });
    this.session = session + 1;
    try {
      const work = connection.transaction(() => {
        if (isNew) createIdentity(connection, options);
        migrate(connection, options);
        if (isNew) options.onCreate?.(connection);
        writeIdentity(connection, { id: before.id, session: this.session });
      });
      work.immediate();
    } catch (error) {
      this.control.close();
      throw error;
    }
    try {
      this.recordBegin(isAdopted);
    } catch (error) {
      this.control.close();
      // Without its log the file would have a session that the control file lacks, or lack a log that is marked as needed.
      closeKeepingLog(connection);
      throw error;
    }
  }

  /** Records the commits up to now in the control file. Call it after each commit. @throws DiskFull, FileInaccessible */
  committed(): void {
    const { frames } = logState(this.connection, 'NOOP');
    if (frames === 0) return;
    const round = this.round();
    const isNewRound = round !== this.control.record.round;
    this.write({ ...(isNewRound && { fileSession: this.session }), isLogNeeded: true, round, frames });
  }

  /** Truncates the log after its last successful commit, if it has another one. @throws FileInaccessible */
  dropFailedCommit(): void {
    const log = scanLog(this.options);
    if (log === undefined) return;
    const { frames } = logState(this.connection, 'NOOP');
    const { round, frames: recorded } = this.control.record;
    // SQLite has copied all frames and begun a round in memory, but could not write its header.
    const isOldRound = log.round === round && frames < recorded;
    if (log.frames <= frames || isOldRound) return;
    try {
      truncateSync(logFile(this.options.file), logLength(frames, log.pageSize));
      syncPath(logFile(this.options.file));
    } catch (error) {
      throw accessError(this.options, error);
    }
  }

  /**
   * Copies the log into the file and truncates it, unless a reader uses it. Does not wait for readers.
   * @returns whether the log is empty now
   */
  cutLog(): boolean {
    return this.copyLog() && truncateLog(this.connection);
  }

  /** Closes the connection. The log stays if it cannot be copied into the file. Idempotent. */
  close(): void {
    let isCopied = !this.connection.open;
    try {
      if (!isCopied) isCopied = this.copyLog();
      if (this.connection.open && isCopied) truncateLog(this.connection);
    } catch {
      // For example a full disk, or a statement that is still running: the next session finds the commits in the log.
    }
    try {
      if (!isCopied) this.dropFailedCommit();
    } catch {
      // Reported by the failed commit.
    }
    this.control.close();
    if (this.log !== undefined) closeSync(this.log);
    this.log = undefined;
    if (isCopied) this.connection.close();
    else closeKeepingLog(this.connection);
  }

  /** Marks the log as not needed in the control file before it is truncated: the process may be killed in between. */
  private copyLog(): boolean {
    const { isCopied, frames } = logState(this.connection, 'PASSIVE');
    if (!isCopied) return false;
    const position = frames > 0 ? { round: this.round(), frames } : {};
    this.write({ fileSession: this.session, isLogNeeded: false, ...position }, true);
    return true;
  }

  /** Synced, because a log of an unknown round is only accepted with one commit. */
  private recordBegin(isNewId: boolean): void {
    const { round: before, isLogNeeded, session } = this.control.record;
    const { frames } = logState(this.connection, 'NOOP');
    const round = this.round();
    const fileSession = isLogNeeded && round === before ? {} : { fileSession: isNewId ? 0 : session };
    this.write({ session: this.session, isLogNeeded: true, round, frames, ...fileSession }, true);
    // The next check compares the id in the file without its log.
    if (this.control.record.fileSession === 0) this.cutLog();
  }

  private round(): string {
    // Safe to close: SQLite holds no locks on the log file, so none are released.
    this.log ??= openSync(logFile(this.options.file), 'r');
    return readRound(this.log);
  }

  private write(...change: Parameters<ControlFile['write']>): void {
    try {
      this.control.write(...change);
    } catch (error) {
      throw accessError(this.options, error);
    }
  }
}

function createIdentity(connection: SqliteConnection, options: SessionOptions): void {
  connection.pragma(`application_id = ${options.applicationId}`);
  createIdentityTable(connection);
}

/** Checks the database, and copies the log, which has the old id, into the file. @throws NotOurFile, FileInaccessible */
function takeOver(connection: SqliteConnection, options: SessionOptions, record: ControlRecord | undefined): void {
  assertSound(connection, options);
  const { isCopied } = logState(connection, 'PASSIVE');
  // After a kill the log may be missing.
  if (isCopied && record !== undefined) ControlFile.create(options.file, { ...record, isLogNeeded: false }).close();
  if (isCopied && truncateLog(connection)) return;
  throw new FileInaccessible(options, new Error('a reader uses its write-ahead log'));
}
