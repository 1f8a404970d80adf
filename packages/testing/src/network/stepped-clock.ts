interface SteppedTimer {
  at: number;
  readonly every: number | undefined;
  readonly callback: () => void;
  cancelled: boolean;
}

/**
 * A clock that only tests advance. Its wall time can be set forward or back separately, like the system clock.
 */
export class SteppedClock {
  private time = 5_000;
  private ahead = 1_800_000_000_000 - 5_000;
  private timers: SteppedTimer[] = [];

  /** Monotonic milliseconds. */
  now(): number {
    return this.time;
  }

  /** Milliseconds since 1970. */
  wall(): number {
    return this.time + this.ahead;
  }

  /** Sets the wall time forward, or back if negative, without advancing the monotonic time. */
  step(milliseconds: number): void {
    this.ahead += milliseconds;
  }

  after(milliseconds: number, callback: () => void): { cancel(): void } {
    return this.add(milliseconds, undefined, callback);
  }

  every(milliseconds: number, callback: () => void): { cancel(): void } {
    return this.add(milliseconds, milliseconds, callback);
  }

  /** Advances the time and runs the timers that fall due, in order. */
  advance(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      this.timers = this.timers.filter((timer) => !timer.cancelled);
      const next = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.time = Math.max(this.time, next.at);
      if (next.every === undefined) next.cancelled = true;
      else next.at += next.every;
      next.callback();
    }
    this.time = end;
  }

  private add(milliseconds: number, every: number | undefined, callback: () => void): { cancel(): void } {
    const timer: SteppedTimer = { at: this.time + milliseconds, every, callback, cancelled: false };
    this.timers.push(timer);
    return {
      cancel: () => {
        timer.cancelled = true;
      },
    };
  }
}

/**
 * Stops `Date.now` one second after a full minute for the rest of a test file: jest gives each file its own globals. Rate limits
 * count by the minute of the clock, so requests up to a limit would fail when a minute ends between two of them.
 */
export function stopWallClock(): void {
  const stopped = Math.floor(Date.now() / 60_000) * 60_000 + 1_000;
  Date.now = () => stopped;
}
