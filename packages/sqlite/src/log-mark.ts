import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { FileInaccessible, type FileName } from './errors';
import { readDatabaseHead, readLogIdentity } from './log-file';

/** What is remembered of a session that has committed something. */
export interface MarkFacts {
  /** `closing`: all of the log is being copied back, so it may be gone. */
  readonly state: 'open' | 'closing';
  /** The identity of the log that the session writes. */
  readonly log: number;
  /** Counter of the database's file when the session committed for the first time. */
  readonly counter: number;
  /** Pages of the file: the most it has had, as long as it has not grown by half since. */
  readonly pages: number;
}

/** Times that a file may have grown since its mark was written. */
export const UNMARKED_GROWTH = 1.5;

/** The mark stands beside the database under its name, so that whoever removes `<name>*` removes it, too. */
export function markFile(file: string): string {
  return `${file}-mark`;
}

export function logFile(file: string): string {
  return `${file}-wal`;
}

/**
 * The note beside a database that its log is needed: made with the first commit of a session, taken away by a stop that
 * has copied the log back. One that is there at an open tells that the last stop was none, and which log belongs here.
 */
export class LogMark {
  private facts: MarkFacts | undefined;
  private pageSize = 0;

  constructor(private readonly name: FileName) {}

  /** To be called after every commit; the first one of a session makes the mark. @throws FileInaccessible */
  committed(): void {
    if (this.facts !== undefined) return this.keepUp(this.facts);
    const { file } = this.name;
    const log = readLogIdentity(logFile(file));
    const head = readDatabaseHead(file);
    // Nothing in the log: the commit has changed nothing.
    if (log === undefined || head === undefined) return;
    this.pageSize = head.pageSize;
    this.write({ state: 'open', log, counter: head.counter, pages: head.pages });
  }

  /** The file grows when the log is copied back, and may shrink again before the next time. */
  private keepUp(facts: MarkFacts): void {
    const pages = Math.floor((statSync(this.name.file, { throwIfNoEntry: false })?.size ?? 0) / this.pageSize);
    if (pages > facts.pages * UNMARKED_GROWTH) this.write({ ...facts, pages });
  }

  /**
   * Cuts the log in the midst of a session. The mark says so before the log is gone, and begins anew with the next commit.
   * @param cut returns whether the log is empty now
   */
  whileCut(cut: () => boolean): boolean {
    this.closing();
    try {
      return cut();
    } finally {
      this.closed();
      if (readLogIdentity(logFile(this.name.file)) === undefined) this.facts = undefined;
    }
  }

  /** An open that was found right begins: a mark without a log is from a stop that was cut short at its end. */
  forgetUnlessLog(): void {
    const { file } = this.name;
    if (readLogIdentity(logFile(file)) === undefined) quietly(() => rmSync(markFile(file), { force: true }));
  }

  /** The log is about to be copied back. */
  closing(): void {
    const facts = this.facts ?? readMark(this.name.file);
    if (facts !== undefined) quietly(() => this.write({ ...facts, state: 'closing' }));
  }

  /** All connections are closed. The mark goes unless the log stays, as it does when a reader held it. */
  closed(): void {
    const { facts } = this;
    if (facts !== undefined && readLogIdentity(logFile(this.name.file)) !== undefined) {
      quietly(() => this.write({ ...facts, state: 'open' }));
    } else {
      this.forgetUnlessLog();
    }
  }

  private write(facts: MarkFacts): void {
    const file = markFile(this.name.file);
    const temporary = `${file}.tmp`;
    try {
      const descriptor = openSync(temporary, 'w', 0o600);
      try {
        writeFileSync(descriptor, `${JSON.stringify(facts)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
      syncFolder(dirname(file));
    } catch (error) {
      throw new FileInaccessible(this.name, error);
    }
    this.facts = facts;
  }
}

/** Where the mark cannot be changed the disk is full or gone, and a mark that stays makes the next open careful. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Told by the operation that needed the disk.
  }
}

function syncFolder(folder: string): void {
  // Windows does not open folders.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** undefined where there is none, and where it cannot be read as one: then it says nothing. */
export function readMark(file: string): MarkFacts | undefined {
  if (!existsSync(markFile(file))) return undefined;
  try {
    const { state, log, counter, pages } = JSON.parse(readFileSync(markFile(file), 'utf8')) as Partial<MarkFacts>;
    if (typeof log !== 'number' || typeof counter !== 'number' || typeof pages !== 'number') return undefined;
    return { state: state === 'closing' ? 'closing' : 'open', log, counter, pages };
  } catch {
    return undefined;
  }
}
