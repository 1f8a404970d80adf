import type { SqliteConnection } from './library';
import {
  childPages,
  nextOverflow,
  overflowHeads,
  pageBytes,
  readVarint,
  soundPage,
  usableSize,
  type PageOwner,
} from './pages';

const LEAF_TABLE = 0x0d;
const LEAF_HEADER_BYTES = 8;
const INNER_TABLE = 0x05;
const INNER_HEADER_BYTES = 12;
const POINTER_BYTES = 4;

/** A row of a table with row ids. The column of the row id is null in `columns`. */
export interface TableRow {
  readonly id: number;
  readonly columns: readonly (number | Buffer | null)[];
}

/**
 * Computes the bytes of a damaged page: of a leaf or overflow page from the rows of the leaf, of an inner page from its children
 * (https://www.sqlite.org/fileformat.html#b_tree_pages). Everything beside the page must be sound.
 *
 * @param rows all rows of the leaf, in ascending order; none for an inner page
 * @returns undefined where the rows do not fit the pages beside it, a page beside it is damaged, or the page is of an index
 */
export function rebuiltPage(...parameters: Parameters<typeof rebuilt>): Buffer | undefined {
  try {
    return rebuilt(...parameters);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function rebuilt(
  connection: SqliteConnection,
  page: number,
  { treePage, overflow }: PageOwner,
  rows: readonly TableRow[],
): Buffer | undefined {
  const usable = usableSize(connection);
  if (overflow !== undefined) return rebuiltOverflow(connection, page, treePage, overflow, rows, usable);
  const children = childPages(connection, page);
  return children.length > 0
    ? rebuiltInner(connection, page, children, usable)
    : rebuiltLeaf(connection, page, rows, usable);
}

/** Each cell has a child and the highest row id below it; the last child is in the header. */
function rebuiltInner(
  connection: SqliteConnection,
  page: number,
  children: readonly number[],
  usable: number,
): Buffer | undefined {
  const bytes = Buffer.alloc(pageBytes(connection, page).length);
  const ordered = children.map((child) => ({ child, last: lastRowId(connection, child) }));
  ordered.sort((a, b) => a.last - b.last);
  const rightmost = ordered.pop();
  if (rightmost === undefined) return undefined;
  let start = usable;
  for (const [i, { child, last }] of ordered.entries()) {
    const cell = Buffer.concat([uint32(child), varint(last)]);
    start -= cell.length;
    if (start < INNER_HEADER_BYTES + 2 * ordered.length) return undefined;
    cell.copy(bytes, start);
    bytes.writeUInt16BE(start, INNER_HEADER_BYTES + 2 * i);
  }
  bytes.writeUInt8(INNER_TABLE, 0);
  bytes.writeUInt16BE(ordered.length, 3);
  bytes.writeUInt16BE(start, 5);
  bytes.writeUInt32BE(rightmost.child, 8);
  return bytes;
}

/** The highest row id below a page. @throws RangeError */
function lastRowId(connection: SqliteConnection, page: number): number {
  const bytes = soundPage(connection, page);
  if (bytes.readUInt8(0) === INNER_TABLE) return lastRowId(connection, bytes.readUInt32BE(8));
  const cells = bytes.readUInt16BE(3);
  if (bytes.readUInt8(0) !== LEAF_TABLE || cells === 0) throw new RangeError(`page ${page} has no rows`);
  const length = readVarint(bytes, bytes.readUInt16BE(LEAF_HEADER_BYTES + 2 * (cells - 1)));
  return readVarint(bytes, length.end).value;
}

function rebuiltLeaf(
  connection: SqliteConnection,
  page: number,
  rows: readonly TableRow[],
  usable: number,
): Buffer | undefined {
  const bytes = Buffer.alloc(pageBytes(connection, page).length);
  const heads = overflowHeads(connection, page).map((head) => ({ head, content: pageBytes(connection, head) }));
  let start = usable;
  for (const [i, { id, columns }] of rows.entries()) {
    const payload = encodeRecord(columns);
    const local = localSize(payload.length, usable);
    const parts = [varint(payload.length), varint(id), payload.subarray(0, local)];
    if (local < payload.length) {
      const rest = payload.subarray(local, local + usable - POINTER_BYTES);
      const found = heads.findIndex(({ content }) =>
        content.subarray(POINTER_BYTES, POINTER_BYTES + rest.length).equals(rest),
      );
      const [own] = found < 0 ? [] : heads.splice(found, 1);
      if (own === undefined) return undefined;
      parts.push(uint32(own.head));
    }
    const cell = Buffer.concat(parts);
    start -= cell.length;
    if (start < LEAF_HEADER_BYTES + 2 * rows.length) return undefined;
    cell.copy(bytes, start);
    bytes.writeUInt16BE(start, LEAF_HEADER_BYTES + 2 * i);
  }
  bytes.writeUInt8(LEAF_TABLE, 0);
  bytes.writeUInt16BE(rows.length, 3);
  bytes.writeUInt16BE(start, 5);
  return heads.length === 0 ? bytes : undefined;
}

function rebuiltOverflow(
  connection: SqliteConnection,
  page: number,
  leaf: number,
  { head, index }: NonNullable<PageOwner['overflow']>,
  rows: readonly TableRow[],
  usable: number,
): Buffer | undefined {
  const bytes = Buffer.alloc(pageBytes(connection, page).length);
  const id = rowOfOverflow(soundPage(connection, leaf), head, usable);
  const row = rows.find((one) => one.id === id);
  if (row === undefined) return undefined;
  const payload = encodeRecord(row.columns);
  const size = usable - POINTER_BYTES;
  const start = localSize(payload.length, usable) + index * size;
  const next = nextOverflow(connection, page);
  if (start >= payload.length || start + size < payload.length !== next > 0) return undefined;
  bytes.writeUInt32BE(next, 0);
  payload.copy(bytes, POINTER_BYTES, start, start + size);
  return bytes;
}

/** The row of a leaf whose payload continues in the overflow page `head`. */
function rowOfOverflow(leaf: Buffer, head: number, usable: number): number | undefined {
  for (let cell = 0; cell < leaf.readUInt16BE(3); cell++) {
    const length = readVarint(leaf, leaf.readUInt16BE(LEAF_HEADER_BYTES + 2 * cell));
    const id = readVarint(leaf, length.end);
    const local = localSize(length.value, usable);
    if (local < length.value && leaf.readUInt32BE(id.end + local) === head) return id.value;
  }
  return undefined;
}

/** Bytes of a payload that are stored in the leaf. */
function localSize(payload: number, usable: number): number {
  const max = usable - 35;
  if (payload <= max) return payload;
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const size = min + ((payload - min) % (usable - POINTER_BYTES));
  return size <= max ? size : min;
}

/** https://www.sqlite.org/fileformat.html#record_format */
function encodeRecord(columns: TableRow['columns']): Buffer {
  const encoded = columns.map(encodeValue);
  const types = Buffer.concat(encoded.map(({ type }) => varint(type)));
  // The length of the header counts itself, in one byte as long as it is short.
  if (types.length > 126) throw new RangeError('too many columns');
  return Buffer.concat([varint(types.length + 1), types, ...encoded.map(({ bytes }) => bytes)]);
}

function encodeValue(value: number | Buffer | null): { readonly type: number; readonly bytes: Buffer } {
  if (value === null) return { type: 0, bytes: Buffer.alloc(0) };
  if (Buffer.isBuffer(value)) return { type: 12 + 2 * value.length, bytes: value };
  if (value === 0 || value === 1) return { type: 8 + value, bytes: Buffer.alloc(0) };
  const [type, size] = INTEGER_TYPES.find(([, bytes]) => Math.abs(value) < 2 ** (8 * bytes - 1)) ?? [];
  if (type === undefined || size === undefined || value < 0) throw new RangeError(`${value} in a rebuilt row`);
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return { type, bytes };
}

/** Serial types with their bytes. Values of 8 bytes do not occur in the rows that are rebuilt. */
const INTEGER_TYPES: readonly (readonly [type: number, bytes: number])[] = [
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 4],
  [5, 6],
];

function varint(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return Buffer.from(bytes);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(POINTER_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
}
