import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which the event loop gets its turn. */
const TURN = 8;

/** Gives the event loop its turn whenever work has gone on for some milliseconds. */
export class TurnTaker {
  private since = performance.now();

  /** Whether others have waited long enough. */
  isDue(): boolean {
    return performance.now() - this.since >= TURN;
  }

  async pause(): Promise<void> {
    if (!this.isDue()) return;
    await setImmediate();
    this.since = performance.now();
  }
}

/** Runs work that may be interrupted where it yields, so that a large wallet holds up nobody. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  const turns = new TurnTaker();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (turns.isDue()) await turns.pause();
  }
}
