import { MACHINE_CLOCK, type WaitClock } from '@wrkz/service-kit';

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** Exponential backoff with jitter between attempts. */
export class ReconnectDelay {
  private failures = 0;

  /** @param random 0 to 1; jitter keeps miners from reconnecting at the same moment */
  constructor(
    private readonly random: () => number = Math.random,
    private readonly clock: WaitClock = MACHINE_CLOCK,
  ) {}

  /** Resets to the shortest delay. */
  reset(): void {
    this.failures = 0;
  }

  /** The next delay in milliseconds. */
  next(): number {
    const max = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** this.failures);
    this.failures += 1;
    return Math.round(max * (0.5 + this.random() / 2));
  }

  async until(signal: AbortSignal): Promise<void> {
    await this.clock.wait(this.next(), signal);
  }
}
