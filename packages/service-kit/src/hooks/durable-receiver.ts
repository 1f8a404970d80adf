import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../error-text';
import { atomicWriteFile, removeUnfinishedWrites } from '../files';
import { stringifyJson } from '../http/json';
import type { DeliveryOutcome } from './delivery';
import { type EventFeed, type FeedEntry, FeedGap, type HookEvent, type ReceiverDependencies } from './receiver';

/** Exponential backoff of failed deliveries. */
export interface BackOff {
  /** Milliseconds before the second attempt; doubled for each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Refusals of one event after which it is written to the dead-letter file. */
  readonly refusals: number;
}

export const BACK_OFF: BackOff = { firstMs: 1_000, maxMs: 60_000, refusals: 10 };

/** Entries per read. */
const BATCH_SIZE = 64;
/** Max skipped entries (of other hooks) before the position is saved. */
const SAVE_AFTER_SKIPPED = 1_000;

export interface DurableReceiverDependencies extends ReceiverDependencies {
  readonly feed: EventFeed;
  readonly files: ReceiverFiles;
  readonly backOff?: BackOff | undefined;
}

/**
 * A receiver with at-least-once delivery: it gets every entry of the feed in order, each after the previous one was delivered,
 * and continues after a restart or kill of either side. An unreachable receiver is retried indefinitely; an event that is
 * refused too often is written to the dead-letter file, so that the following ones are delivered.
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
    private readonly dependencies: DurableReceiverDependencies,
    position: number,
  ) {
    this.position = position;
    this.written = position;
    this.backOff = dependencies.backOff ?? BACK_OFF;
    this.endListening = dependencies.feed.onEntry(() => this.wake());
    this.working = this.work();
  }

  /** Continues at the saved position; a new receiver gets new events only. @throws Error if its file is unusable */
  static async start(dependencies: DurableReceiverDependencies): Promise<DurableReceiver> {
    const { feed, files } = dependencies;
    const known = files.position();
    if (known !== undefined) return new DurableReceiver(dependencies, known);
    const latest = feed.latest();
    // Before the first delivery: after a kill the receiver must continue here, not at the newest event.
    await files.save(latest);
    return new DurableReceiver(dependencies, latest);
  }

  /** Entries of any kind that the receiver has not read. */
  get behind(): number {
    return Math.max(0, this.dependencies.feed.latest() - this.position);
  }

  /** Aborts the running delivery, which is repeated after the next start. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.wake();
    this.endListening();
    await this.working;
    await this.dependencies.files.save(this.position).catch(() => undefined);
  }

  private async work(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted;) {
      try {
        await this.next();
        failures = 0;
      } catch (error) {
        if (failures === 0) this.dependencies.log('warning', `its events cannot be read or saved: ${errorText(error)}`);
        await this.wait(failures++);
      }
    }
  }

  /** Delivers the next entries, or waits for new ones. */
  private async next(): Promise<void> {
    const more = new Promise<void>((resolve) => (this.wake = resolve));
    const entries = this.read();
    for (const { number, event } of entries) {
      if (event !== undefined && !(await this.deliverEvent(number, event))) return;
      this.advance(number, event !== undefined);
    }
    if (entries.length === 0 && !this.stopping.signal.aborted) await more;
  }

  private read(): readonly FeedEntry[] {
    const { feed } = this.dependencies;
    try {
      return feed.after(this.position, BATCH_SIZE);
    } catch (error) {
      if (!(error instanceof FeedGap)) throw error;
      this.skipGap(error.resumeAfter);
      return feed.after(this.position, BATCH_SIZE);
    }
  }

  /** Continues behind deleted entries, or in another feed. */
  private skipGap(resumeAfter: number): void {
    const { files, log, counter } = this.dependencies;
    const [from, to] = [this.position + 1, resumeAfter];
    if (to < from) {
      log('warning', `the journal was replaced: continuing with its first entry instead of ${String(from)}`);
    } else {
      log(
        'warning',
        `the journal no longer has entries ${String(from)} to ${String(to)}: they are lost to this receiver`,
      );
      files.addDeadLetter({ time: Date.now(), from, to, why: 'too old: no longer in the journal' });
      counter.counts.dead += 1;
    }
    this.position = resumeAfter;
  }

  /** Saves the position without waiting: a kill repeats the last deliveries. */
  private advance(number: number, isDelivered: boolean): void {
    this.position = number;
    if (!isDelivered && number - this.written < SAVE_AFTER_SKIPPED) return;
    this.written = number;
    this.dependencies.files.save(number).catch((error: unknown) => {
      this.dependencies.log('warning', `its position cannot be written: ${errorText(error)}`);
    });
  }

  /** Retries until the event is delivered or in the dead-letter file. @returns false if the receiver is closed before */
  private async deliverEvent(number: number, event: HookEvent): Promise<boolean> {
    const { deliver, files, counter, log } = this.dependencies;
    const { signal } = this.stopping;
    let refusals = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome: DeliveryOutcome = await deliver(event, `${files.key}-${String(number)}`, signal);
      counter.count(outcome);
      if (outcome.kind === 'delivered') return true;
      if (outcome.kind === 'cancelled' && signal.aborted) return false;
      if (outcome.kind === 'refused' && (refusals += 1) >= this.backOff.refusals) {
        const { why } = outcome;
        files.addDeadLetter({ number, time: Date.now(), why, event: event.event, ...event.fields });
        counter.counts.dead += 1;
        log(
          'warning',
          `entry ${String(number)} was refused ${String(refusals)} times and is in ${files.deadLettersPath}`,
        );
        return true;
      }
      if (!(await this.wait(attempt))) return false;
    }
  }

  /** @returns false if the receiver is closed meanwhile */
  private async wait(attempt: number): Promise<boolean> {
    const { firstMs, maxMs } = this.backOff;
    const signal = this.stopping.signal;
    try {
      await pause(Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 20)), undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }
}

/** Above this size the dead-letter file is renamed to `.old`. */
const MAX_DEAD_LETTERS_BYTES = 16 * 1024 * 1024;

export interface ReceiverIdentity {
  readonly directory: string;
  readonly hook: string;
  /** Value of the option; another value is another receiver. */
  readonly value: string;
  readonly description: string;
}

/** The files of a durable receiver: its position, and its dead letters. */
export class ReceiverFiles {
  readonly key: string;
  readonly positionPath: string;
  readonly deadLettersPath: string;
  private unsaved: number | undefined;
  private writing: Promise<void> | undefined;

  constructor(private readonly identity: ReceiverIdentity) {
    const digest = createHash('sha256').update(identity.value).digest('hex').slice(0, 16);
    this.key = `${identity.hook}-${digest}`;
    this.positionPath = join(identity.directory, `${this.key}.json`);
    this.deadLettersPath = join(identity.directory, `${this.key}.dead.jsonl`);
  }

  /** Number of the last processed entry; undefined for a new receiver. @throws Error if the file is unreadable */
  position(): number | undefined {
    removeUnfinishedWrites(this.positionPath);
    if (!existsSync(this.positionPath)) return undefined;
    try {
      const { position } = JSON.parse(readFileSync(this.positionPath, 'utf8')) as { position?: unknown };
      if (!Number.isSafeInteger(position) || (position as number) < 0) throw new Error('it holds no position');
      return position as number;
    } catch (error) {
      throw new Error(`${this.positionPath} cannot be read: ${errorText(error)}; remove it to start with new events`, {
        cause: error,
      });
    }
  }

  /**
   * Saves the position. Writes are coalesced: during a write only the newest position is queued. So a kill may repeat the last
   * deliveries, but never skips one. Resolves when this position, or a newer one, is on disk.
   */
  async save(position: number): Promise<void> {
    this.unsaved = position;
    while (this.unsaved !== undefined || this.writing !== undefined) await (this.writing ??= this.write());
  }

  private async write(): Promise<void> {
    const position = this.unsaved;
    this.unsaved = undefined;
    const { hook, description } = this.identity;
    try {
      await atomicWriteFile(this.positionPath, `${JSON.stringify({ hook, receiver: description, position })}\n`);
    } catch (error) {
      this.unsaved ??= position;
      throw error;
    } finally {
      this.writing = undefined;
    }
  }

  /**
   * Appends a line of JSON to the dead-letter file, durably.
   * @throws Error of the system, for example for a full disk; the file is unchanged then
   */
  addDeadLetter(letter: Readonly<Record<string, unknown>>): void {
    const file = openSync(this.deadLettersPath, 'a+', 0o600);
    let size: number;
    try {
      ({ size } = fstatSync(file));
      const line = Buffer.from(`${endsInLine(file, size) ? '' : '\n'}${stringifyJson(letter)}\n`);
      try {
        // A full disk may write a part without an error.
        for (let done = 0; done < line.length;) done += writeSync(file, line.subarray(done));
        fsyncSync(file);
      } catch (error) {
        ftruncateSync(file, size);
        throw error;
      }
    } finally {
      closeSync(file);
    }
    if (size > MAX_DEAD_LETTERS_BYTES) renameSync(this.deadLettersPath, `${this.deadLettersPath}.old`);
  }
}

/** A kill may have cut the last line. */
function endsInLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
