import type { SqliteConnection } from './library';
import { PAGE_CHECKSUM_BYTES } from './page-checksum';
import {
  childPages,
  INNER_HEADER_BYTES,
  INNER_TABLE,
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
const POINTER_BYTES = 4;

/** A row of a table with row ids. The column of the row id is null in `columns`. */
export interface TableRow {
  readonly id: number;
  readonly columns: readonly (number | Buffer | null)[];
}

/**
 * Computes the bytes of a damaged page: of a leaf or overflow page from the rows of the leaf, of an inner page from its children
 * (https://www.sqlite.org/fileformat.html#b_tree_pages). All other pages must be intact.
 *
 * @param rows all rows of the leaf, in ascending order; none for an inner page
 * @returns undefined if the rows do not match the neighbouring pages, a neighbouring page is damaged, or the page belongs to an
 * index
 */
export function rebuiltPage(
  connection: SqliteConnection,
  page: number,
  { treePage, overflow }: PageOwner,
  rows: readonly TableRow[],
): Buffer | undefined {
  const usable = usableSize(connection);
  try {
    if (overflow !== undefined) return rebuiltOverflow(connection, page, treePage, overflow, rows, usable);
    const children = childPages(connection, page);
    if (children.length > 0) return rebuiltInner(connection, children, usable);
    return tablePage(LEAF_TABLE, leafCells(connection, page, rows, usable), usable);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Writes cells from the end of a page backwards. @throws RangeError if they do not fit */
function tablePage(type: number, cells: readonly Buffer[], usable: number): Buffer {
  const bytes = Buffer.alloc(usable + PAGE_CHECKSUM_BYTES);
  const pointers = type === LEAF_TABLE ? LEAF_HEADER_BYTES : INNER_HEADER_BYTES;
  let start = usable;
  for (const [i, cell] of cells.entries()) {
    start -= cell.length;
    if (start < pointers + 2 * cells.length) throw new RangeError('too many cells');
    cell.copy(bytes, start);
    bytes.writeUInt16BE(start, pointers + 2 * i);
  }
  bytes.writeUInt8(type, 0);
  bytes.writeUInt16BE(cells.length, 3);
  bytes.writeUInt16BE(start, 5);
  return bytes;
}

/** Each cell has a child and the highest row id below it; the last child is in the header. */
function rebuiltInner(connection: SqliteConnection, children: readonly number[], usable: number): Buffer {
  const ordered = children.map((child) => ({ child, last: lastRowId(connection, child) }));
  ordered.sort((a, b) => a.last - b.last);
  const cells = ordered.map(({ child, last }) => Buffer.concat([uint32(child), varint(last)]));
  const bytes = tablePage(INNER_TABLE, cells.slice(0, -1), usable);
  bytes.writeUInt32BE(ordered.at(-1)?.child ?? 0, 8);
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

function leafCells(
  connection: SqliteConnection,
  page: number,
  rows: readonly TableRow[],
  usable: number,
): readonly Buffer[] {
  const heads = overflowHeads(connection, page).map((head) => ({ head, content: pageBytes(connection, head) }));
  const cells = rows.map(({ id, columns }) => {
    const payload = encodeRecord(columns);
    const local = localSize(payload.length, usable);
    const parts = [varint(payload.length), varint(id), payload.subarray(0, local)];
    if (local < payload.length) {
      const rest = payload.subarray(local, local + usable - POINTER_BYTES);
      const own = heads.findIndex(({ content }) =>
        content.subarray(POINTER_BYTES, POINTER_BYTES + rest.length).equals(rest),
      );
      if (own < 0) throw new RangeError(`row ${id} does not continue in an overflow page`);
      parts.push(...heads.splice(own, 1).map(({ head }) => uint32(head)));
    }
    return Buffer.concat(parts);
  });
  if (heads.length > 0) throw new RangeError('an overflow page has no row');
  return cells;
}

function rebuiltOverflow(
  connection: SqliteConnection,
  page: number,
  leaf: number,
  { head, index }: NonNullable<PageOwner['overflow']>,
  rows: readonly TableRow[],
  usable: number,
): Buffer | undefined {
  const id = rowOfOverflow(soundPage(connection, leaf), head, usable);
  const row = rows.find((one) => one.id === id);
  if (row === undefined) return undefined;
  const payload = encodeRecord(row.columns);
  const size = usable - POINTER_BYTES;
  const start = localSize(payload.length, usable) + index * size;
  const next = nextOverflow(connection, page);
  if (start >= payload.length || start + size < payload.length !== next > 0) return undefined;
  const bytes = Buffer.alloc(usable + PAGE_CHECKSUM_BYTES);
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
  // The header length includes its own byte; it takes one byte for short headers.
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
