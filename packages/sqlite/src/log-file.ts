import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/*
 * What the headers of a database and of its write-ahead log tell without SQLite, which would act on what it finds: a log
 * without its database it removes, and any log whose sums are right it copies into whatever database lies beside it.
 */

/** The head of a database file. */
export interface DatabaseHead {
  readonly pageSize: number;
  /** Whole pages in the file. */
  readonly pages: number;
  /** Pages that the database has, as its head says; undefined where a program wrote it that does not keep count. */
  readonly pagesTold: number | undefined;
  /** Grows with every session that changes the first page, and never falls. */
  readonly counter: number;
}

/** The committed content of a write-ahead log. */
export interface LogFacts {
  /** The same through all of a log's rounds: each round adds 1 to the first salt and to the count of rounds. */
  readonly identity: number;
  readonly commits: number;
  /** Pages of the database after the last commit, and the most after any. */
  readonly databasePages: number;
  readonly mostPages: number;
  /** The pages that the log holds. */
  readonly pages: ReadonlySet<number>;
  /** The database's counter in the log's first and last copy of page 1; undefined when it holds none. */
  readonly counters: readonly [first: number, last: number] | undefined;
}

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEAD = 100;

/** undefined for a file that is missing, empty or no SQLite database. */
export function readDatabaseHead(file: string): DatabaseHead | undefined {
  return reading(file, (descriptor, size) => {
    const head = bytesAt(descriptor, 0, HEAD);
    if (head.length < HEAD || !head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const told = head.readUInt16BE(16);
    const pageSize = told === 1 ? 65_536 : told;
    if (pageSize < 512) return undefined;
    const counter = head.readUInt32BE(24);
    const pagesTold = head.readUInt32BE(92) === counter ? head.readUInt32BE(28) : undefined;
    return { pageSize, pages: Math.floor(size / pageSize), pagesTold, counter };
  });
}

const LOG_HEAD = 32;
const FRAME_HEAD = 24;
const COUNTER_AT = 24;

/** undefined for a log that is missing or holds no commit, as one that was never written to. */
export function readLog(file: string): LogFacts | undefined {
  return reading(file, (descriptor, size) => {
    const head = bytesAt(descriptor, 0, LOG_HEAD);
    if (!isLogHead(head)) return undefined;
    const pageSize = head.readUInt32BE(8);
    const salts = head.subarray(16, 24);
    const pages = new Set<number>();
    const uncommitted = new Set<number>();
    let counters: [number, number] | undefined;
    let pendingCounter: number | undefined;
    let [commits, databasePages, mostPages] = [0, 0, 0];
    const step = FRAME_HEAD + pageSize;
    for (let at = LOG_HEAD; at + step <= size; at += step) {
      const frame = bytesAt(descriptor, at, FRAME_HEAD);
      if (!frame.subarray(8, 16).equals(salts)) break;
      const page = frame.readUInt32BE(0);
      uncommitted.add(page);
      if (page === 1) pendingCounter = bytesAt(descriptor, at + FRAME_HEAD + COUNTER_AT, 4).readUInt32BE(0);
      const after = frame.readUInt32BE(4);
      if (after === 0) continue;
      for (const one of uncommitted) pages.add(one);
      uncommitted.clear();
      if (pendingCounter !== undefined) counters = [counters?.[0] ?? pendingCounter, pendingCounter];
      commits++;
      databasePages = after;
      mostPages = Math.max(mostPages, after);
    }
    if (commits === 0) return undefined;
    return { identity: identityOf(head), commits, databasePages, mostPages, pages, counters };
  });
}

/**
 * The identity of a log that was begun anew and holds no commit since: a new head, behind it at most a part of a commit, then
 * a frame of the round before. SQLite writes such a head when all of the log was copied back, and not before.
 */
export function readRoundBegun(file: string): number | undefined {
  return reading(file, (descriptor, size) => {
    const head = bytesAt(descriptor, 0, LOG_HEAD);
    if (!isLogHead(head)) return undefined;
    const salts = head.subarray(16, 24);
    const step = FRAME_HEAD + head.readUInt32BE(8);
    for (let at = LOG_HEAD; at + step <= size; at += step) {
      const frame = bytesAt(descriptor, at, FRAME_HEAD);
      if (!frame.subarray(8, 16).equals(salts)) return isRoundBefore(frame, head) ? identityOf(head) : undefined;
      if (frame.readUInt32BE(4) !== 0) return undefined;
    }
    return undefined;
  });
}

/** Each round has one more in the first salt and another second one: a flipped bit does not change both. */
function isRoundBefore(frame: Buffer, head: Buffer): boolean {
  const next = (frame.readUInt32BE(8) + 1) >>> 0;
  return next === head.readUInt32BE(16) && frame.readUInt32BE(12) !== head.readUInt32BE(20);
}

/** The identity of a log whether or not it holds a commit. */
export function readLogIdentity(file: string): number | undefined {
  return reading(file, (descriptor) => {
    const head = bytesAt(descriptor, 0, LOG_HEAD);
    return isLogHead(head) ? identityOf(head) : undefined;
  });
}

function identityOf(head: Buffer): number {
  return (head.readUInt32BE(16) - head.readUInt32BE(12)) >>> 0;
}

function isLogHead(head: Buffer): boolean {
  if (head.length < LOG_HEAD) return false;
  const magic = head.readUInt32BE(0);
  // The last bit of the magic number tells in which order the bytes of a word are summed up.
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return false;
  const word = (at: number): number => (magic === 0x377f0682 ? head.readUInt32LE(at) : head.readUInt32BE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return first === head.readUInt32BE(24) && second === head.readUInt32BE(28);
}

function reading<T>(file: string, read: (descriptor: number, size: number) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    // Missing, or not to be read: the latter SQLite will say.
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() ? read(descriptor, stat.size) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function bytesAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
