/** What the periodic start of a compaction goes by (docs/protocol/storage.md#compaction). */
export interface ScheduleFacts {
  readonly running: boolean;
  /** Bytes. */
  readonly free: number;
  readonly leastFree: number;
  /** Blocks; 0 for no periodic compaction. */
  readonly gap: number;
  /** Blocks of the chain now, and when the last one began or ended (or the program began). */
  readonly count: number;
  readonly lastCount: number;
  /** Milliseconds since then. */
  readonly since: number;
}

const MINUTE = 60_000;
/** Milliseconds from one compaction to the next, at least. */
const LEAST_TIME = 30 * MINUTE;

/** Whether a compaction is to begin. */
export function isDue({ running, free, leastFree, gap, count, lastCount, since }: ScheduleFacts): boolean {
  return !running && free >= leastFree && gap > 0 && count - lastCount >= gap && since >= LEAST_TIME;
}

const OFTEN = MINUTE;
const SELDOM = 30 * MINUTE;
/** Blocks behind the network up to which a look finds the node at the top, and from which it is behind again. */
const AT_TOP = 2;
const BEHIND = 20;
/** Looks at the top in a row after which looks become seldom. */
const LOOKS = 3;

/** How often to look: each minute while the node syncs, each half hour once it is at the top. */
export class LookInterval {
  private atTop = 0;

  /** @param behind blocks that the network has and this node lacks @returns milliseconds until the next look */
  next(behind: number): number {
    if (behind <= AT_TOP) this.atTop += 1;
    else if (behind >= BEHIND || this.atTop < LOOKS) this.atTop = 0;
    return this.atTop >= LOOKS ? SELDOM : OFTEN;
  }
}
