/** What the share difficulty of a connection goes by. */
export interface ShareDifficultyRule {
  /** Of each share; 0 is the difficulty of the block. With an interval, what a miner begins with. */
  readonly fixed: bigint;
  /** Seconds between the shares of one miner that the difficulty aims at; 0 keeps it as it is. */
  readonly interval: number;
}

/** Where an adjusted difficulty begins when nothing else is said. */
const FIRST = 1_000n;
/** Shares after which the difficulty is looked at, and intervals after which it is all the same. */
const ENOUGH_SHARES = 8;
const PATIENCE = 6;
/** It moves by this factor at most, and not at all for less than that. */
const LARGEST_STEP = 4;
const SMALLEST_STEP = 1.3;
/** Factors are whole numbers of this part. */
const SCALE = 1024;

/** The share difficulty of one connection. */
export class ShareDifficulty {
  private wanted: bigint;
  private shares = 0;
  private since: number;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly rule: ShareDifficultyRule,
    private readonly now: () => number,
  ) {
    this.wanted = rule.fixed === 0n && rule.interval > 0 ? FIRST : rule.fixed;
    this.since = now();
  }

  /** For a job; never above the difficulty of the block, or a block would go by unseen. */
  readonly of = (difficulty: bigint): bigint => {
    return this.wanted === 0n || this.wanted > difficulty ? difficulty : this.wanted;
  };

  /** Hears of a share that met the difficulty. */
  count(): void {
    this.shares += 1;
  }

  /** Adapts it to the shares that came. True when it has changed, so that a new job is due. */
  adjust(difficulty: bigint): boolean {
    const { interval } = this.rule;
    const seconds = (this.now() - this.since) / 1000;
    if (interval === 0 || (this.shares < ENOUGH_SHARES && seconds < interval * PATIENCE)) return false;
    // no share at all is taken for half a one: how slow the miner is cannot be known
    const rate = Math.max(this.shares, 0.5) / Math.max(seconds, 0.001);
    const factor = Math.min(LARGEST_STEP, Math.max(1 / LARGEST_STEP, rate * interval));
    this.shares = 0;
    this.since = this.now();
    if (factor < SMALLEST_STEP && factor > 1 / SMALLEST_STEP) return false;
    const before = this.of(difficulty);
    const scaled = (before * BigInt(Math.round(factor * SCALE))) / BigInt(SCALE);
    this.wanted = scaled < 1n ? 1n : scaled > difficulty ? difficulty : scaled;
    return this.wanted !== before;
  }
}
