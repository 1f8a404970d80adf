import { setTimeout as sleep } from 'node:timers/promises';

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** Exponential backoff with jitter between attempts. */
export class ReconnectDelay {
  private failures = 0;

  /**
   * @param random 0 to 1; jitter keeps miners from reconnecting at the same moment
   * @param wait returns early, without an error, when the signal is aborted
   */
  constructor(
    private readonly random: () => number = Math.random,
    private readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void> = delay,
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
    await this.wait(this.next(), signal);
  }
}

/** Resolves after a time, or when the signal is aborted. */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
