import type { P2pClock, P2pLogger } from '../ports';

/** Blocks come every minute, so 30 minutes without one have a probability of e^-30: this node is likely cut off. */
const STALE_AFTER = 30 * 60_000;

/** Notices that the main chain has not grown for 30 minutes. */
export class StaleTip {
  private grownAt: number;
  private stale = false;

  /** @param isEnabled false on networks where blocks are generated on demand */
  constructor(
    private readonly dependencies: { readonly clock: Pick<P2pClock, 'now'>; readonly logger: P2pLogger },
    private readonly isEnabled: boolean,
  ) {
    this.grownAt = this.now();
  }

  get isStale(): boolean {
    return this.stale;
  }

  /** Seconds since the main chain last grew, or since the start. */
  get ageSeconds(): number {
    return Math.floor((this.now() - this.grownAt) / 1_000);
  }

  /** The main chain has grown. */
  grown(): void {
    this.grownAt = this.now();
    if (this.stale) this.dependencies.logger.info('new blocks are received again');
    this.stale = false;
  }

  private now(): number {
    return this.dependencies.clock.now();
  }

  /** Called about once a second. */
  tick(): void {
    if (this.stale || !this.isEnabled || this.now() - this.grownAt < STALE_AFTER) return;
    this.stale = true;
    this.dependencies.logger.warning(
      'no new block for 30 minutes: connecting to more peers. Check the network connection and the clock of this machine.',
    );
  }
}
