import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { APPLICATION_ID, PAGE_SIZE, SCHEMA_VERSION } from '../schema';

/** Bytes at the start of the file that are no b-tree: https://www.sqlite.org/fileformat.html#the_database_header */
export const HEADER_BYTES = 100;

const COUNTER = 24;
const PAGES = 28;
const FREE_LIST = 32;
const HIGHEST_ROOT = 52;
const VALID_FOR = 92;

/** Fields of the header that are the same in every database of this schema, by the byte where they stand. */
const CONSTANT: readonly (readonly [at: number, name: string, bytes: Buffer])[] = [
  [0, 'magic text', Buffer.from('SQLite format 3\0', 'latin1')],
  [16, 'page size', word16(PAGE_SIZE)],
  [18, 'journal versions', Buffer.from([2, 2])],
  [20, 'reserved bytes', Buffer.from([8])],
  [21, 'payload fractions', Buffer.from([64, 32, 32])],
  [44, 'schema format', word32(4)],
  [48, 'cache size', word32(0)],
  [56, 'text encoding', word32(1)],
  [60, 'schema version', word32(SCHEMA_VERSION)],
  [64, 'incremental vacuum', word32(1)],
  [68, 'application id', word32(APPLICATION_ID)],
  [72, 'reserved space', Buffer.alloc(20)],
];

/**
 * What is wrong with the header of a database's file. Two fields can have any value and mean nothing here: the counter of
 * schema changes, which connections compare with what they read themselves, and the number of the library that wrote last.
 *
 * @param highestRoot the highest root page of the tables, where it is known
 */
export function headerProblems(file: string, highestRoot?: number): string[] {
  const { header, pages } = readHeader(file);
  // As long as there is a log, the newest state of what follows the layout may stand there.
  const inLog = hasLog(file);
  const problems = CONSTANT.filter(([at]) => !inLog || at < COUNTER)
    .filter(([at, , bytes]) => !header.subarray(at, at + bytes.length).equals(bytes))
    .map(([at, name, bytes]) => {
      const found = header.subarray(at, at + bytes.length).toString('hex');
      return `${name} is ${found} in place of ${bytes.toString('hex')}`;
    });
  if (inLog || header.length < HEADER_BYTES) return problems;
  const counter = header.readUInt32BE(COUNTER);
  const told = header.readUInt32BE(PAGES);
  const root = header.readUInt32BE(HIGHEST_ROOT);
  if (header.readUInt32BE(VALID_FOR) !== counter) problems.push('the two counters of changes differ');
  if (told !== pages) problems.push(`number of pages is ${told} in place of ${pages}`);
  if (root === 0 || (highestRoot !== undefined && root !== highestRoot))
    problems.push(`highest root page is ${root} in place of ${highestRoot ?? 'a page'}`);
  return problems;
}

/** The header with every field right that can be known; without a list of empty pages, for reading alone. */
export function mendedHeader(file: string): Buffer {
  const { header, pages } = readHeader(file);
  const mended = Buffer.concat([header, Buffer.alloc(HEADER_BYTES)], HEADER_BYTES);
  for (const [at, , bytes] of CONSTANT) bytes.copy(mended, at);
  mended.writeUInt32BE(pages, PAGES);
  mended.writeUInt32BE(mended.readUInt32BE(COUNTER), VALID_FOR);
  mended.fill(0, FREE_LIST, FREE_LIST + 8);
  if (mended.readUInt32BE(HIGHEST_ROOT) === 0) mended.writeUInt32BE(1, HIGHEST_ROOT);
  return mended;
}

function readHeader(file: string): { header: Buffer; pages: number } {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return { header: header.subarray(0, length), pages: Math.floor(fstatSync(descriptor).size / PAGE_SIZE) };
  } finally {
    closeSync(descriptor);
  }
}

function hasLog(file: string): boolean {
  const log = `${file}-wal`;
  return existsSync(log) && statSync(log).size > 0;
}

function word16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function word32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
