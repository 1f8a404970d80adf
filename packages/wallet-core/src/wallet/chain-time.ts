import type { ScanStart } from '../ledger/model';

/** Unix seconds of mainnet's first block, and of one block: compares heights with times without a node. */
const FIRST_BLOCK_TIMESTAMP = 1_529_831_318;
const BLOCK_SECONDS = 60;
/** How wrong a clock may be. */
const CLOCK_SLACK_SECONDS = 7_200;
/** Min seconds per block over a long stretch that is plausible on mainnet. */
const PLAUSIBLE_BLOCK_SECONDS = 20;
const PLAUSIBLE_BLOCKS = 60;

/** Where the scan for new keys begins: a time, which the node resolves to a block. @param now Unix seconds */
export function startOfNewKeys(now: number): ScanStart {
  return { timestamp: Math.max(0, now - CLOCK_SLACK_SECONDS), height: 0 };
}

/** Whether a block at this height is older than the start of the scan. */
export function liesBefore(height: number, start: ScanStart): boolean {
  if (start.height > 0 || start.timestamp === 0) return height < start.height;
  return FIRST_BLOCK_TIMESTAMP + BLOCK_SECONDS * height < start.timestamp;
}

interface TimedBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/**
 * The highest index that mainnet can have reached. It is counted from an anchor: the highest applied block for which there was
 * time since the anchor before it. Blocks that a node makes up raise it as little as waiting does, whatever their number and
 * their timestamps are. A rewind does not lower it: the network still has its height.
 */
export class PlausibleHeight {
  constructor(public anchor: TimedBlock) {}

  /** For a wallet without a stored anchor. @param height of its highest applied block */
  static estimated(height: number): PlausibleHeight {
    return new PlausibleHeight({ height, timestamp: FIRST_BLOCK_TIMESTAMP + BLOCK_SECONDS * height });
  }

  /** @param now Unix seconds */
  at(now: number): number {
    return this.withoutMargin(now) + PLAUSIBLE_BLOCKS;
  }

  /** Without the margin, which a node can fill with made-up blocks at once. @param now Unix seconds */
  withoutMargin(now: number): number {
    const { height, timestamp } = this.anchor;
    return height + Math.floor(Math.max(0, now - timestamp) / PLAUSIBLE_BLOCK_SECONDS);
  }

  /** A block was applied. @param now Unix seconds */
  noteBlock({ height, timestamp }: TimedBlock, now: number): void {
    const { anchor } = this;
    // A timestamp in the future must not count: the anchor would refuse honest blocks until then.
    const reached = Math.min(timestamp, now);
    const hasTime = reached - anchor.timestamp >= PLAUSIBLE_BLOCK_SECONDS * (height - anchor.height);
    if (height > anchor.height && hasTime) this.anchor = { height, timestamp: reached };
  }
}
