import type { DeliveryOutcome } from './delivery/protocol';
import type { HookEvent } from './event';

/** What has become of a receiver's events so far. */
export interface HookCounts {
  readonly delivered: number;
  /** Deliveries that failed; a durable receiver tries those again. */
  readonly failed: number;
  /** Turned away by a full queue. */
  readonly dropped: number;
  /** Given up on and written into the dead-letter list. */
  readonly dead: number;
}

/** Brings one event to the receiver; resolves in any case. The id names the event in every attempt. */
export type DeliverEvent = (event: HookEvent, id: string, signal: AbortSignal) => Promise<DeliveryOutcome>;

/** After the first failure in a row, how many more before it is logged again. */
const FAILURE_LOG_EVERY = 100;

/** Counts the outcomes of one receiver, and logs failures without flooding the log. */
export class Tally {
  delivered = 0;
  failed = 0;
  dropped = 0;
  dead = 0;
  private failuresInARow = 0;

  /** @param log a line, which gets the receiver's name in front, as a warning or as a fact */
  constructor(private readonly log: (level: 'warning' | 'info', text: string) => void) {}

  count(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'cancelled') return;
    if (outcome.kind === 'delivered') {
      this.delivered += 1;
      if (this.failuresInARow > 0)
        this.log('info', `delivering again after ${String(this.failuresInARow)} failed notification(s)`);
      this.failuresInARow = 0;
      return;
    }
    this.failed += 1;
    this.failuresInARow += 1;
    if (this.failuresInARow === 1) this.log('warning', outcome.why);
    else if (this.failuresInARow % FAILURE_LOG_EVERY === 0)
      this.log('warning', `${outcome.why} (${String(this.failuresInARow)} failures in a row)`);
  }

  get counts(): HookCounts {
    const { delivered, failed, dropped, dead } = this;
    return { delivered, failed, dropped, dead };
  }
}
