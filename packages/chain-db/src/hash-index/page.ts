import { lowerBound } from '@wrkz/core-types';
import { CHECKSUM_BYTES, checksum, isWhole } from './checksum';
import { FINGERPRINT_LIMIT } from './fingerprint';

/** Entries of a page, unless the last ones have one fingerprint: with the checksum 8,104 bytes, one page of 8 KiB. */
export const PAGE_ENTRIES = 900;
/** Five bytes of fingerprint, four of id, both big-endian. */
const ENTRY_BYTES = 9;

/** Row ids are below this. */
export const ID_LIMIT = 2 ** 32;

/** Entries in ascending order of their fingerprints; `ids[i]` belongs to `fingerprints[i]`. */
export interface Entries {
  readonly fingerprints: Float64Array;
  readonly ids: Uint32Array;
}

/** The row of a page: the run's number above, the lower bound of its fingerprints below. */
export function pageId(run: number, first: number): number {
  return run * FINGERPRINT_LIMIT + first;
}

/** Entries `from` to `end` as stored in the row `page`: without gaps, a checksum behind them. */
export function encodePage(page: number, { fingerprints, ids }: Entries, from: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe((end - from) * ENTRY_BYTES);
  for (let i = from, at = 0; i < end; i++, at += ENTRY_BYTES) {
    bytes.writeUIntBE(fingerprints[i] as number, at, 5);
    bytes.writeUInt32BE(ids[i] as number, at + 5);
  }
  return Buffer.concat([bytes, checksum(bytes, page)]);
}

/** What {@link encodePage} wrote; undefined when it is damaged, or belongs to another row. */
export function decodePage(page: number, bytes: Buffer): Entries | undefined {
  if (!isPage(page, bytes)) return undefined;
  const count = (bytes.length - CHECKSUM_BYTES) / ENTRY_BYTES;
  const fingerprints = new Float64Array(count);
  const ids = new Uint32Array(count);
  for (let i = 0, at = 0; i < count; i++, at += ENTRY_BYTES) {
    fingerprints[i] = fingerprintAt(bytes, at);
    ids[i] = bytes.readUInt32BE(at + 5);
  }
  return { fingerprints, ids };
}

/** The ids of a fingerprint in a page; undefined when the page is damaged. */
export function findInPage(page: number, bytes: Buffer, fingerprint: number): number[] | undefined {
  if (!isPage(page, bytes)) return undefined;
  const end = (bytes.length - CHECKSUM_BYTES) / ENTRY_BYTES;
  const first = lowerBound(0, end, (i) => fingerprintAt(bytes, i * ENTRY_BYTES) < fingerprint);
  const ids: number[] = [];
  for (let i = first; i < end && fingerprintAt(bytes, i * ENTRY_BYTES) === fingerprint; i++) {
    ids.push(bytes.readUInt32BE(i * ENTRY_BYTES + 5));
  }
  return ids;
}

/**
 * Where a page that starts at `from` ends: after `count` entries, or a little later, so that entries of one fingerprint
 * stay together and one page is enough for a look-up.
 */
export function pageEnd(fingerprints: Float64Array, from: number, count: number): number {
  const end = fingerprints.length;
  let stop = Math.min(end, from + count);
  while (stop < end && fingerprints[stop] === fingerprints[stop - 1]) stop++;
  return stop;
}

function isPage(page: number, bytes: Buffer): boolean {
  return (bytes.length - CHECKSUM_BYTES) % ENTRY_BYTES === 0 && isWhole(bytes, page);
}

function fingerprintAt(bytes: Buffer, at: number): number {
  return (bytes[at] as number) * 2 ** 32 + bytes.readUInt32BE(at + 1);
}
