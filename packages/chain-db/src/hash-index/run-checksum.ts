import { addNumber, type Checksum, startChecksum } from '../checksum';
import { CorruptDatabase } from '../errors';
import { HASH_KIND_NAMES, type HashKind } from './kinds';

/** Rows of the tables of the chain begin theirs with lower numbers (rows/checksums.ts). */
const RUN = startChecksum(101);
const PAGE = startChecksum(102);

/** The row of a run, without its checksum. */
export interface RunRow {
  readonly run: number;
  readonly kind: HashKind;
  readonly level: number;
  readonly target: number | undefined;
  /** {@link sumOfPages} of the lower bounds of its pages. */
  readonly pages: number;
}

export function runChecksum({ run, kind, level, target, pages }: RunRow): Checksum {
  const h = addNumber(addNumber(addNumber(RUN, run), kind), level);
  return addNumber(addNumber(h, target ?? -1), pages);
}

/** @throws CorruptDatabase */
export function checkRun(row: RunRow, checksum: number): void {
  if (runChecksum(row) !== checksum) throw new CorruptDatabase(`run ${row.run} of the hash look-ups`);
}

/** Says which pages a run has: one that was lost, or stands under another key, is not found missing by its own checksum. */
export function sumOfPages(firsts: readonly number[]): number {
  let sum = 0;
  for (const first of firsts) sum = (sum + addNumber(PAGE, first)) | 0;
  return sum;
}

/** @throws CorruptDatabase when pages were lost, added, moved or are out of order */
export function checkPages({ run, kind, pages }: RunRow, firsts: readonly number[]): void {
  const ordered = firsts.every((first, i) => i === 0 || first > (firsts[i - 1] as number));
  if (!ordered || sumOfPages(firsts) !== pages) {
    throw new CorruptDatabase(`run ${run} of the look-up of ${HASH_KIND_NAMES[kind]} has not the pages that it should`);
  }
}
