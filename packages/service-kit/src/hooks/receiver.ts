import { randomUUID } from 'node:crypto';
import type { DeliveryOutcome } from './delivery';

/** A value in the body of a webhook. A bigint is written as an exact integer. */
export type HookField = string | number | bigint | boolean;

export interface HookEvent {
  /** The first field of the body of a webhook. */
  readonly event: string;
  /** Values of `%s`, `%h`... in a command, by letter. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** The other fields of the body, in this order. */
  readonly fields: Readonly<Record<string, HookField>>;
}

/** An entry of a feed. Numbers are ascending. */
export interface FeedEntry {
  readonly number: number;
  /** Undefined if the entry does not concern the hook. */
  readonly event: HookEvent | undefined;
}

/** Stored events, from which durable receivers read. */
export interface EventFeed {
  /** Number of the newest entry of any kind; 0 for none. */
  latest(): number;
  /**
   * Up to `limit` entries above a number, ascending; none while the feed cannot be read.
   * @throws FeedGap if entries above the number were deleted, or the number belongs to another feed
   */
  after(number: number, limit: number): readonly FeedEntry[];
  /** Calls the listener when there may be new entries. @returns unsubscribes */
  onEntry(listener: () => void): () => void;
}

/** Entries that a receiver has not received were deleted because of their age. */
export class FeedGap extends Error {
  override readonly name = 'FeedGap';
  /** @param resumeAfter all entries above this number exist */
  constructor(readonly resumeAfter: number) {
    super(`the entries up to ${String(resumeAfter)} are no longer stored`);
  }
}

export interface HookCounts {
  delivered: number;
  /** Failed deliveries; a durable receiver retries. */
  failed: number;
  /** Events dropped because the queue was full. */
  dropped: number;
  /** Events in the dead-letter file. */
  dead: number;
}

/** Delivers one event; never rejects. The id is the same for all attempts. */
export type DeliverEvent = (event: HookEvent, id: string, signal: AbortSignal) => Promise<DeliveryOutcome>;

/** After the first of consecutive failures, only every n-th is logged. */
const FAILURE_LOG_EVERY = 100;

/** Counts outcomes of one receiver, and logs failures at a limited rate. */
export class OutcomeCounter {
  readonly counts: HookCounts = { delivered: 0, failed: 0, dropped: 0, dead: 0 };
  private failuresInARow = 0;

  /** @param log writes a line with the name of the receiver */
  constructor(private readonly log: (level: 'warning' | 'info', text: string) => void) {}

  count(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'cancelled') return;
    if (outcome.kind === 'delivered') {
      this.counts.delivered += 1;
      if (this.failuresInARow > 0)
        this.log('info', `delivering again after ${String(this.failuresInARow)} failed notification(s)`);
      this.failuresInARow = 0;
      return;
    }
    this.counts.failed += 1;
    this.failuresInARow += 1;
    if (this.failuresInARow === 1) this.log('warning', outcome.why);
    else if (this.failuresInARow % FAILURE_LOG_EVERY === 0)
      this.log('warning', `${outcome.why} (${String(this.failuresInARow)} failures in a row)`);
  }
}

/** Max queued events of a receiver. */
export const HOOK_QUEUE = 1024;
const DROP_LOG_EVERY = 1000;

export interface ReceiverDependencies {
  readonly deliver: DeliverEvent;
  readonly counter: OutcomeCounter;
  readonly log: (level: 'warning' | 'info', text: string) => void;
}

export interface LiveReceiverDependencies extends ReceiverDependencies {
  readonly queue?: number | undefined;
}

/** A receiver with a bounded queue in memory: at most one delivery for each event, in order. A full queue drops new events. */
export class LiveReceiver {
  private readonly stopping = new AbortController();
  private readonly queued: HookEvent[] = [];
  private working: Promise<void> | undefined;

  constructor(private readonly dependencies: LiveReceiverDependencies) {}

  notify(event: HookEvent): void {
    if (this.stopping.signal.aborted) return;
    const { counter, log, queue = HOOK_QUEUE } = this.dependencies;
    if (this.queued.length >= queue) {
      const dropped = ++counter.counts.dropped;
      if (dropped === 1 || dropped % DROP_LOG_EVERY === 0)
        log('warning', `queue full (${String(queue)}), dropping notifications. Dropped so far: ${String(dropped)}`);
      return;
    }
    this.queued.push(event);
    this.working ??= this.work();
  }

  /** Queued events, without the one being delivered. */
  get behind(): number {
    return this.queued.length;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.queued.length = 0;
    await this.working;
  }

  private async work(): Promise<void> {
    const { deliver, counter } = this.dependencies;
    for (let event = this.queued.shift(); event !== undefined; event = this.queued.shift()) {
      counter.count(await deliver(event, randomUUID(), this.stopping.signal));
    }
    this.working = undefined;
  }
}
