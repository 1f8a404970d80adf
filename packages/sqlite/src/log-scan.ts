import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FileInaccessible, SqliteFileError, type FileName } from './errors';
import { failureCode } from './failure';

/** The part of a write-ahead log that SQLite's recovery uses (https://www.sqlite.org/walformat.html). */
export interface LogScan {
  readonly round: string;
  /** Number of frames up to the last commit before the first invalid frame. */
  readonly frames: number;
  readonly commits: number;
  /** Pages of the database after the last commit. */
  readonly databasePages: number;
  readonly pageSize: number;
  /** Offset in the log of the newest committed copy of each page. */
  readonly pages: ReadonlyMap<number, number>;
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** Length in bytes of a log with this number of frames. */
export const logLength = (frames: number, pageSize: number): number =>
  HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize);

export function logFile(file: string): string {
  return `${file}-wal`;
}

/**
 * The round of an open log: checkpoint sequence number and both salts, 24 hex characters. SQLite begins a round when it
 * writes the log from its start again, after a complete checkpoint, and increments the sequence number and the first salt.
 */
export function readRound(log: number): string {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(log, header, 0, HEADER_BYTES, 0);
  return header.toString('hex', 12, 24);
}

/** How many rounds `round` is ahead of `before`; undefined for rounds of two logs. */
export function roundsAhead(before: string, round: string): number | undefined {
  const difference = (at: number): number =>
    (parseInt(round.slice(at, at + 8), 16) - parseInt(before.slice(at, at + 8), 16)) | 0;
  const isOneLog = difference(0) === difference(8) && (difference(0) !== 0 || before === round);
  return isOneLog ? difference(0) : undefined;
}

/** Runs work on an open file; undefined if the file is missing. @throws FileInaccessible */
export function reading<T>(name: FileName, path: string, work: (descriptor: number) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    // An open of a named pipe would wait for a writer.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is not a regular file`);
    return work(descriptor);
  } catch (error) {
    if (failureCode(error) === 'ENOENT') return undefined;
    throw error instanceof SqliteFileError ? error : new FileInaccessible(name, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Undefined for a missing log, and for one whose header is invalid, so that SQLite ignores it. @throws FileInaccessible */
export function scanLog(name: FileName): LogScan | undefined {
  return reading(name, logFile(name.file), scan);
}

function scan(log: number): LogScan | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const isWhole = readSync(log, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
  // The last bit of the magic number is the byte order of the checksums.
  const isBigEndian = header.readUInt32BE(0) === MAGIC + 1;
  const pageSize = header.readUInt32BE(8);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  let sums = addWords([0, 0], header.subarray(0, 24), isBigEndian);
  const isLog = header.readUInt32BE(0) === MAGIC || isBigEndian;
  if (!isWhole || !isLog || !isPageSize || !hasSums(header, 24, sums)) return undefined;
  const [pages, pending] = [new Map<number, number>(), new Map<number, number>()];
  let [frames, commits, databasePages] = [0, 0, 0];
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageSize);
  for (let number = 1, at = HEADER_BYTES; readSync(log, frame, 0, frame.length, at) === frame.length; number++) {
    sums = addWords(sums, frame.subarray(0, 8), isBigEndian);
    sums = addWords(sums, frame.subarray(FRAME_HEADER_BYTES), isBigEndian);
    const isOfRound = frame.compare(header, 16, 24, 8, 16) === 0;
    if (!isOfRound || frame.readUInt32BE(0) === 0 || !hasSums(frame, 16, sums)) break;
    pending.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES);
    at += frame.length;
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, offset] of pending) pages.set(page, offset);
    pending.clear();
    [frames, commits, databasePages] = [number, commits + 1, frame.readUInt32BE(4)];
  }
  return { round: header.toString('hex', 12, 24), frames, commits, databasePages, pageSize, pages };
}

type Sums = readonly [first: number, second: number];

/** Continues the checksum of the log over pairs of 32-bit words. */
function addWords(before: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  const ordered = isBigEndian ? Buffer.from(bytes).swap32() : bytes;
  const words = new Uint32Array(ordered.buffer, ordered.byteOffset, ordered.length / 4);
  let [first, second] = before;
  for (let i = 0; i < words.length; i += 2) {
    first = (first + (words[i] ?? 0) + second) | 0;
    second = (second + (words[i + 1] ?? 0) + first) | 0;
  }
  return [first, second];
}

function hasSums(bytes: Buffer, at: number, [first, second]: Sums): boolean {
  return bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;
}
