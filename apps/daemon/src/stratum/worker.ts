/** What became of a share. A stale one meets its target, but the tip has moved on. */
export const SHARE_OUTCOMES = ['accepted', 'stale', 'rejected'] as const;
export type ShareOutcome = (typeof SHARE_OUTCOMES)[number];

/** How far the hash rate looks back, and in which steps. Milliseconds. */
const RATE_STEP = 60_000;
const RATE_STEPS = 10;

/** The rigs of one name that mine to one address. */
export class StratumWorker {
  readonly shares: Record<ShareOutcome, number> = { accepted: 0, stale: 0, rejected: 0 };
  blocks = 0;
  connections = 0;
  /** Of the latest accepted or stale share; monotonic milliseconds. */
  lastShareAt: number | undefined;
  /** Difficulty of the shares of each step, the present one last. */
  private work: bigint[] = [0n];
  private readonly since: number;
  private stepAt: number;

  constructor(
    readonly name: string,
    now: number,
  ) {
    this.since = now;
    this.stepAt = now;
  }

  count(outcome: ShareOutcome, difficulty: bigint, now: number): void {
    this.shares[outcome] += 1;
    if (outcome === 'rejected') return;
    this.lastShareAt = now;
    this.advance(now);
    this.work[this.work.length - 1] = (this.work.at(-1) ?? 0n) + difficulty;
  }

  /** Hashes a second as the shares of the last ten minutes tell. */
  hashRate(now: number): number {
    this.advance(now);
    const span = Math.min(now - this.since, (this.work.length - 1) * RATE_STEP + (now - this.stepAt));
    // a single early share says nothing yet
    return Number(this.work.reduce((sum, work) => sum + work, 0n)) / (Math.max(span, RATE_STEP) / 1000);
  }

  private advance(now: number): void {
    const steps = Math.floor((now - this.stepAt) / RATE_STEP);
    if (steps <= 0) return;
    this.stepAt += steps * RATE_STEP;
    this.work.push(...Array.from({ length: Math.min(steps, RATE_STEPS) }, () => 0n));
    this.work = this.work.slice(-RATE_STEPS);
  }
}
