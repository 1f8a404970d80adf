import {
  DIFFICULTY_TARGET,
  DIFFICULTY_WINDOW_LEGACY,
  DIFFICULTY_WINDOW_VERSION_1_2,
  MAX_UINT64,
} from '@wrkz/core-types';
import { fromWide, toWide } from './wide';

/** From this index on blocks of version 1 and 2 would use the short window too; no network reached it with them. */
const SHORT_WINDOW_FROM = 20160;
const SHORT_WINDOW = DIFFICULTY_WINDOW_LEGACY.window;
const SHORT_FLOOR = 100n;

/** `cut` = outliers dropped at each end of the sorted timestamps; `lag` = number of newest blocks that are ignored. */
const legacyWindow = (majorVersion: number): { window: number; cut: number; lag: number } =>
  majorVersion >= 3 ? DIFFICULTY_WINDOW_LEGACY : DIFFICULTY_WINDOW_VERSION_1_2;

/** Number of blocks (without genesis) that the rule needs before a block of this version. */
export function legacyBlocks(majorVersion: number): number {
  const { window, lag } = legacyWindow(majorVersion);
  return window + lag;
}

/**
 * The difficulty of the rule before LWMA: work per time over the window, outliers cut
 * (docs/protocol/difficulty-and-reward.md#legacy-difficulty).
 *
 * @param majorVersion version of the new block
 * @param parentHeight index of its parent
 * @param timestamps seconds, oldest first; `cumulative` holds the cumulative difficulties of the same blocks
 * @returns 0 if the work times 60 exceeds 64 bits: the block cannot be accepted
 */
export function legacyDifficulty(
  majorVersion: number,
  parentHeight: number,
  timestamps: readonly number[],
  cumulative: readonly bigint[],
): bigint {
  const { window, cut } = legacyWindow(majorVersion);
  // This drops the lag: the newest blocks, not the oldest.
  const head = rate(timestamps.slice(0, window), cumulative.slice(0, window), window, cut);
  if (head === undefined) return 1n;
  if (head.overflow) return 0n;
  if (majorVersion >= 3) return head.scaled / head.span;
  if (parentHeight < SHORT_WINDOW_FROM) return (head.scaled + head.span - 1n) / head.span;

  const tail = rate(timestamps.slice(-SHORT_WINDOW), cumulative.slice(-SHORT_WINDOW), SHORT_WINDOW, 0);
  if (tail === undefined) return 1n;
  if (tail.overflow) return 0n;
  const next = tail.scaled / tail.span;
  return next < SHORT_FLOOR ? SHORT_FLOOR : next;
}

interface Rate {
  /** Work of the window times the target. */
  readonly scaled: bigint;
  /** Seconds it took, at least 1. */
  readonly span: bigint;
  readonly overflow: boolean;
}

function rate(
  timestamps: readonly number[],
  cumulative: readonly bigint[],
  window: number,
  cut: number,
): Rate | undefined {
  const length = timestamps.length;
  if (length <= 1) return undefined;
  const kept = window - 2 * cut;
  const begin = length <= kept ? 0 : (length - kept + 1) >> 1;
  const end = length <= kept ? length - 1 : begin + kept - 1;

  const sorted = Float64Array.from(timestamps).sort();
  const span = BigInt(Math.max(1, (sorted[end] ?? 0) - (sorted[begin] ?? 0)));
  const work = BigInt.asUintN(64, (cumulative[end] ?? 0n) - (cumulative[begin] ?? 0n));
  const scaled = fromWide(toWide(work).mul(toWide(DIFFICULTY_TARGET)));
  return { scaled, span, overflow: scaled + span - 1n > MAX_UINT64 };
}
