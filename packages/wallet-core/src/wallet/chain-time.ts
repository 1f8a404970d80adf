import type { ScanStart } from '../ledger/model';

/** Time of mainnet's first block in Unix seconds, to estimate block times without a node. */
const FIRST_BLOCK_TIMESTAMP = 1_529_831_318;
const BLOCK_SECONDS = 60;
/** Max assumed error of a clock. */
const CLOCK_SLACK_SECONDS = 7_200;
/** Min plausible average of seconds per block on mainnet. */
const PLAUSIBLE_BLOCK_SECONDS = 20;
const PLAUSIBLE_BLOCKS = 60;

/** Start of the scan for new keys: a time that the node resolves to a block. @param now Unix seconds */
export function startOfNewKeys(now: number): ScanStart {
  return { timestamp: Math.max(0, now - CLOCK_SLACK_SECONDS), height: 0 };
}

export function isBeforeStart(height: number, start: ScanStart): boolean {
  if (start.height > 0 || start.timestamp === 0) return height < start.height;
  return FIRST_BLOCK_TIMESTAMP + BLOCK_SECONDS * height < start.timestamp;
}

interface TimedBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/**
 * Estimates the highest index that mainnet can have reached, at most one block per `PLAUSIBLE_BLOCK_SECONDS` after an anchor.
 * An applied block becomes the anchor if enough time has passed since the previous anchor. So forged blocks cannot raise the
 * estimate faster than time does, whatever their number and timestamps. A rewind does not lower it: the network keeps its
 * height.
 */
export class PlausibleHeight {
  constructor(public anchor: TimedBlock) {}

  /** For a wallet without a stored anchor. @param height height of the last applied block */
  static estimated(height: number): PlausibleHeight {
    return new PlausibleHeight({ height, timestamp: FIRST_BLOCK_TIMESTAMP + BLOCK_SECONDS * height });
  }

  /** The highest plausible index. @param now Unix seconds */
  at(now: number): number {
    return this.withoutMargin(now) + PLAUSIBLE_BLOCKS;
  }

  /** The same without the margin: a node can fill the margin with forged blocks immediately. @param now Unix seconds */
  withoutMargin(now: number): number {
    const { height, timestamp } = this.anchor;
    return height + Math.floor(Math.max(0, now - timestamp) / PLAUSIBLE_BLOCK_SECONDS);
  }

  /** Moves the anchor to an applied block if enough time has passed. @param now Unix seconds */
  noteBlock({ height, timestamp }: TimedBlock, now: number): void {
    const { anchor } = this;
    // Ignore the excess of a timestamp in the future: until then the anchor would make honest blocks implausible.
    const reached = Math.min(timestamp, now);
    const hasTime = reached - anchor.timestamp >= PLAUSIBLE_BLOCK_SECONDS * (height - anchor.height);
    if (height > anchor.height && hasTime) this.anchor = { height, timestamp: reached };
  }
}
