import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../error-text';
import type { DeliveryOutcome } from './delivery/protocol';
import type { HookEvent } from './event';
import { type EventFeed, type FeedEntry, FeedGap } from './feed';
import type { DeliverEvent, Tally } from './receiver';
import type { ReceiverFiles } from './receiver-files';

/** How deliveries that failed are tried again. */
export interface BackOff {
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Refusals of one event after which it goes into the dead-letter list. */
  readonly refusals: number;
}

export const BACK_OFF: BackOff = { firstMs: 1_000, mostMs: 60_000, refusals: 10 };

/** Entries read at a time. */
const BATCH = 64;
/** Entries of others that a kill may make it pass over once more. */
const PASSED_OVER = 1_000;

export interface DurableReceiverParts {
  readonly deliver: DeliverEvent;
  readonly feed: EventFeed;
  readonly files: ReceiverFiles;
  readonly tally: Tally;
  readonly log: (level: 'warning' | 'info', text: string) => void;
  readonly backOff?: BackOff;
}

/**
 * A receiver that misses nothing: it is told every entry of the feed in order, the next one when the one before was taken,
 * and goes on there after a stop or a kill of either side. Nobody there is waited for without end; an event that is
 * refused again and again goes into the dead-letter list, so that it does not hold up the others for ever.
 */
export class DurableReceiver {
  private readonly stopping = new AbortController();
  private readonly backOff: BackOff;
  private position: number;
  private written: number;
  private wake: () => void = () => undefined;
  private readonly endListening: () => void;
  private readonly working: Promise<void>;

  private constructor(
    private readonly parts: DurableReceiverParts,
    position: number,
  ) {
    this.position = position;
    this.written = position;
    this.backOff = parts.backOff ?? BACK_OFF;
    this.endListening = parts.feed.onEntry(() => this.wake());
    this.working = this.work();
  }

  /** Goes on where the receiver was; a new one begins with what comes next. @throws Error when its file is unusable */
  static async start(parts: DurableReceiverParts): Promise<DurableReceiver> {
    const { feed, files } = parts;
    const known = files.position();
    if (known !== undefined) return new DurableReceiver(parts, known);
    const latest = feed.latest();
    await files.save(latest); // before anything is told, so that a kill cannot make it new again
    return new DurableReceiver(parts, latest);
  }

  /** Entries of any kind that it has not looked at yet. */
  get behind(): number {
    return Math.max(0, this.parts.feed.latest() - this.position);
  }

  /** Ends it; the delivery in hand is broken off and will be repeated at the next start. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.wake();
    this.endListening();
    await this.working;
    await this.parts.files.save(this.position).catch(() => undefined);
  }

  private async work(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted;) {
      try {
        await this.next();
        failures = 0;
      } catch (error) {
        if (failures === 0) this.parts.log('warning', `its events cannot be read or noted: ${errorText(error)}`);
        await this.wait(failures++);
      }
    }
  }

  /** Tells what is there, or waits until there is more. */
  private async next(): Promise<void> {
    const more = new Promise<void>((resolve) => (this.wake = resolve));
    const entries = this.read();
    for (const { number, event } of entries) {
      if (event !== undefined && !(await this.tell(number, event))) return;
      this.moveTo(number, event !== undefined);
    }
    if (entries.length === 0 && !this.stopping.signal.aborted) await more;
  }

  private read(): readonly FeedEntry[] {
    const { feed } = this.parts;
    try {
      return feed.after(this.position, BATCH);
    } catch (error) {
      if (!(error instanceof FeedGap)) throw error;
      this.leap(error.resumeAfter);
      return feed.after(this.position, BATCH);
    }
  }

  /** What lay between is lost to this receiver, or was never there. */
  private leap(resumeAfter: number): void {
    const { files, log, tally } = this.parts;
    const [from, to] = [this.position + 1, resumeAfter];
    if (to < from) {
      log('warning', `the journal is another one: beginning with its first entry instead of ${String(from)}`);
    } else {
      log(
        'warning',
        `the journal no longer has entries ${String(from)} to ${String(to)}: they are lost to this receiver`,
      );
      files.addDeadLetter({ time: Date.now(), from, to, why: 'too old: no longer in the journal' });
      tally.dead += 1;
    }
    this.position = resumeAfter;
  }

  /**
   * The write is not waited for: it may be some deliveries behind, and a kill repeats those. What was only passed over is
   * written now and then.
   */
  private moveTo(number: number, told: boolean): void {
    this.position = number;
    if (!told && number - this.written < PASSED_OVER) return;
    this.written = number;
    this.parts.files.save(number).catch((error: unknown) => {
      this.parts.log('warning', `its position cannot be written: ${errorText(error)}`);
    });
  }

  /** Until it is taken, or given up on. @returns false when stopped before */
  private async tell(number: number, event: HookEvent): Promise<boolean> {
    const { deliver, files, tally, log } = this.parts;
    const { signal } = this.stopping;
    let refusals = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome: DeliveryOutcome = await deliver(event, `${files.key}-${String(number)}`, signal);
      tally.count(outcome);
      if (outcome.kind === 'delivered') return true;
      if (outcome.kind === 'cancelled' && signal.aborted) return false;
      if (outcome.kind === 'refused' && (refusals += 1) >= this.backOff.refusals) {
        const { why } = outcome;
        files.addDeadLetter({ number, time: Date.now(), why, event: event.event, ...event.fields });
        tally.dead += 1;
        log(
          'warning',
          `entry ${String(number)} was refused ${String(refusals)} times and is in ${files.deadLettersPath}`,
        );
        return true;
      }
      if (!(await this.wait(attempt))) return false;
    }
  }

  /** @returns false when stopped meanwhile */
  private async wait(attempt: number): Promise<boolean> {
    const { firstMs, mostMs } = this.backOff;
    const signal = this.stopping.signal;
    try {
      await pause(Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20)), undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }
}
