import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds of the first wait, and of the longest. */
const FIRST = 1_000;
const LONGEST = 30_000;

/** Waits between attempts: each about twice as long as the one before, with chance in it. */
export class ReconnectDelay {
  private failures = 0;

  /**
   * @param random 0 to 1, so that many miners do not come back at the same moment
   * @param wait ends early, without a throw, when the signal fires
   */
  constructor(
    private readonly random: () => number = Math.random,
    private readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void> = patience,
  ) {}

  /** The next attempt begins at once again. */
  reset(): void {
    this.failures = 0;
  }

  /** How long the next wait is. */
  next(): number {
    const longest = Math.min(LONGEST, FIRST * 2 ** this.failures);
    this.failures += 1;
    return Math.round(longest * (0.5 + this.random() / 2));
  }

  async until(signal: AbortSignal): Promise<void> {
    await this.wait(this.next(), signal);
  }
}

/** So many milliseconds, or until the signal fires. */
export async function patience(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
}
