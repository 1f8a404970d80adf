import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { failureCode } from './failure';

/** The content of the control file beside a database (docs/protocol/storage.md#control-file). */
export interface ControlRecord {
  /** Random id of the database, 32 hex characters; also in the table `database_identity`. */
  readonly id: string;
  /** Number of the last session that wrote. */
  readonly session: number;
  /** Min session in the file without its log; 0 if unknown. */
  readonly fileSession: number;
  /** Whether the log may have commits that the file lacks. */
  readonly isLogNeeded: boolean;
  /** Round of the log, and its committed frames. */
  readonly round: string;
  readonly frames: number;
}

export const newRecord = (id: string, session: number, fileSession: number): ControlRecord => {
  return { id, session, fileSession, isLogNeeded: false, round: '0'.repeat(24), frames: 0 };
};

/** All fields have a fixed length, so that a line can be replaced in place. */
const LINE = /^(database control 1 (\w{32}) (\w{8}) (\w{8}) (needed|copied) (\w{24}) (\w{8})) (\w{8})\n$/;

const hex8 = (value: number): string => value.toString(16).padStart(8, '0');

function lineOf({ id, session, fileSession, isLogNeeded, round, frames }: ControlRecord): string {
  const log = `${isLogNeeded ? 'needed' : 'copied'} ${round} ${hex8(frames)}`;
  const text = `database control 1 ${id} ${hex8(session)} ${hex8(fileSession)} ${log}`;
  return `${text} ${hex8(crc32(text))}\n`;
}

export function controlFile(file: string): string {
  return `${file}-control`;
}

/** Undefined without a control file. */
export function readControlFile(file: string): ControlRecord | 'damaged' | undefined {
  try {
    // A named pipe would block.
    if (!statSync(controlFile(file)).isFile()) return 'damaged';
    const fields = LINE.exec(readFileSync(controlFile(file), 'latin1')) ?? [];
    const [, text = '', id = '', session = '', fileSession = '', log, round = '', frames = '', sum] = fields;
    if (text === '' || hex8(crc32(text)) !== sum) return 'damaged';
    const record = { ...newRecord(id, parseInt(session, 16), parseInt(fileSession, 16)), round };
    return { ...record, isLogNeeded: log === 'needed', frames: parseInt(frames, 16) };
  } catch (error) {
    return failureCode(error) === 'ENOENT' ? undefined : 'damaged';
  }
}

/** The control file of a database that is open for writing. */
export class ControlFile {
  private constructor(
    private descriptor: number | undefined,
    private current: ControlRecord,
  ) {}

  /** Creates or replaces the file, durably. @param mode permissions; default: those of the database */
  static create(file: string, record: ControlRecord, mode = statSync(file).mode & 0o777): ControlFile {
    const path = `${controlFile(file)}.new`;
    const created = new ControlFile(openSync(path, 'w', mode), record);
    try {
      created.write({}, true);
      renameSync(path, controlFile(file));
      syncPath(dirname(file));
      return created;
    } catch (error) {
      // For example on a full disk: a failed open must not leave a file.
      created.close();
      rmSync(path, { force: true });
      throw error;
    }
  }

  get record(): ControlRecord {
    return this.current;
  }

  /** Overwrites the line. Unless `isDurable`, the file may have an earlier line after a power cut. */
  write(change: Partial<ControlRecord>, isDurable = false): void {
    if (this.descriptor === undefined) return;
    this.current = { ...this.current, ...change };
    writeSync(this.descriptor, lineOf(this.current), 0);
    if (isDurable) fsyncSync(this.descriptor);
  }

  /** Idempotent. */
  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}

/** Syncs a file or a folder (fsync). */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
