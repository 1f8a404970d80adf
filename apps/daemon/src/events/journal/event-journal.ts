import type { NetworkName } from '@wrkz/core-types';
import { errorText, type Logger, type MetricFactory, workerEntry, WorkerThread } from '@wrkz/service-kit';
import type { NodeEvent, NodeEvents } from '../node-events';
import { EntriesGone, type JournalEntry, type JournalFeed, type JournalTopic } from './journal';
import type { JournalStanding, JournalThread } from './protocol';
import { EventQueue, type LeftOut, positionBefore } from './queue';
import { JournalReader, type JournalPage } from './reading';
import { isLost } from './set-aside';
import type { ChainPosition } from './store';

export interface EventJournalParts {
  readonly directory: string;
  readonly network: NetworkName;
  readonly events: Pick<NodeEvents, 'subscribe'>;
  /** As the events have told of it so far. */
  readonly chain: { tip(): ChainPosition };
  readonly pool: { hashes(): Buffer[] };
  /** Whether the first synchronization is over, as seen from a block at this height (an index). */
  readonly isReady: (height: number) => boolean;
  /** Tell of the first synchronization too. */
  readonly duringSync: boolean;
  /** Days for which entries are kept; 0: for ever. */
  readonly keepDays: number;
  readonly logger: Logger;
  /** Milliseconds until a journal that could not be written is tried again. */
  readonly tryAgain?: number;
}

const TRY_AGAIN = 5_000;
/** Milliseconds at least from one commit to the next: what comes meanwhile shares one. */
const COMMIT_EVERY = 25;
/** Milliseconds that a stop waits for what is not written yet; the next start reads the rest from the chain. */
const LAST_COMMITS = 1_000;

/**
 * The journal of events as the rest of the node knows it. A thread of its own writes, so that neither the main thread nor
 * the engine waits for its disk; reading is some rows through a connection here. Nothing that happens to the journal stops
 * the node: what cannot be written now waits, or is read from the chain later, and what is damaged is set aside.
 */
export class EventJournal implements JournalFeed {
  private readonly queue = new EventQueue();
  private readonly listeners = new Set<() => void>();
  private readonly unsubscribe: () => void;
  private thread: WorkerThread<JournalThread> | undefined;
  private reader: JournalReader | undefined;
  /** As it was told last; it is kept when the thread has died, until another one has opened the file. */
  private standing: JournalStanding | undefined;
  private isOpen = false;
  private working: Promise<void> | undefined;
  private wake: (() => void) | undefined;
  private closed = false;
  /** What may be on the chain and in the pool without having been told of. */
  private missing: LeftOut = { chain: true, pool: true };
  private lossesTold = 0;
  private readonly damages: string[] = [];
  private complained: string | undefined;

  private constructor(private readonly parts: EventJournalParts) {
    this.unsubscribe = parts.events.subscribe((event) => this.onEvent(event));
  }

  /** Opens the journal; what it misses is read from the chain afterwards, while it serves. Never throws. */
  static async start(parts: EventJournalParts): Promise<EventJournal> {
    const journal = new EventJournal(parts);
    await journal.attempt(async () => {
      await journal.open();
      // Before anybody asks: whoever had asked already would be told that something was lost.
      await journal.beginWhereReady();
    });
    journal.working = journal.work();
    return journal;
  }

  latest(): number {
    return this.standing?.latest ?? 0;
  }

  /** Events that are not on disk yet, and those that nothing can bring back. */
  get backlog(): { readonly waiting: number; readonly lost: number } {
    return { waiting: this.queue.size, lost: this.queue.lost };
  }

  /** Publishes how it stands (docs/operations/events.md#figures). */
  publish(metrics: MetricFactory): void {
    metrics.gauge('journal_latest_number', 'The number of the newest entry', [], (gauge) => gauge.set(this.latest()));
    metrics.gauge('journal_waiting_events', 'Events that are not on disk yet', [], (gauge) => {
      gauge.set(this.backlog.waiting);
    });
    metrics.counted('journal_lost_events_total', 'Alternative blocks that were not written', () => this.backlog.lost);
  }

  after(after: number, topics: readonly JournalTopic[], limit: number): JournalEntry[] {
    const page = this.page(after, topics, limit);
    return (page?.entries ?? []).map((entry) => {
      return { ...entry, body: JSON.parse(entry.body) as JournalEntry['body'] };
    });
  }

  /**
   * Entries with their bodies as they are printed; undefined while there is no journal that can be read.
   *
   * @throws EntriesGone
   */
  page(after: number, topics: readonly JournalTopic[], limit: number): JournalPage | undefined {
    try {
      return this.reader?.page(after, topics, limit);
    } catch (error) {
      if (error instanceof EntriesGone) throw error;
      this.onUnreadable(error);
      return undefined;
    }
  }

  onEntry(listener: () => void): () => void {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /** Writes what waits, as far as that is quickly done, and closes. */
  async close(): Promise<void> {
    this.unsubscribe();
    this.closed = true;
    this.wake?.();
    const patience = sleep(LAST_COMMITS);
    await Promise.race([this.working, patience.over]);
    patience.end();
    await this.thread?.close();
    await this.working;
    this.reader?.close();
    this.reader = undefined;
    this.listeners.clear();
  }

  private onEvent(event: NodeEvent): void {
    const tip = this.parts.chain.tip();
    const height = event.kind === 'block' ? event.height : tip.height;
    const begun = this.standing?.begun === true;
    const ready = begun || this.parts.duringSync || this.parts.isReady(height);
    if (this.standing !== undefined && !ready) return;
    this.queue.add({ event, time: Date.now(), ready, before: positionBefore(event, tip) });
    this.wake?.();
  }

  private async work(): Promise<void> {
    while (!this.closed || (this.queue.size > 0 && this.standing?.begun === true)) {
      const worked = await this.attempt(async () => {
        if (!this.isOpen) await this.open();
        await this.lookAtDamage();
        await this.beginWhereReady();
        if (this.standing?.begun !== true) return;
        await this.complete();
        await this.write();
      });
      if (this.closed && !worked) return;
      await this.pause(worked ? COMMIT_EVERY : (this.parts.tryAgain ?? TRY_AGAIN), !worked);
    }
  }

  /** Waits until there is something to do; at least some milliseconds, or all of them when something failed. */
  private async pause(milliseconds: number, failed: boolean): Promise<void> {
    const nothing = (): boolean => !failed && this.queue.size === 0 && this.damages.length === 0;
    if (nothing() && !this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
    if (this.closed) return;
    const rest = sleep(milliseconds);
    this.wake = () => this.closed && rest.end();
    await rest.over;
    this.wake = undefined;
  }

  private async open(): Promise<void> {
    const thread = this.running();
    await thread.ready;
    this.adopt(await thread.call('open', undefined));
    this.isOpen = true;
  }

  /** Brings the journal to where chain and pool are now, where something is missing. */
  private async complete(): Promise<void> {
    const left = this.queue.takeLeftOut();
    this.missing = { chain: this.missing.chain || left.chain, pool: this.missing.pool || left.pool };
    const { chain, pool } = this.missing;
    this.tellOfLosses();
    if (!chain && !pool) return;
    this.adopt(await this.running().call('complete', { pool: pool ? this.parts.pool.hashes() : undefined }));
    this.missing = { chain: false, pool: false };
  }

  /** Begins the journal with what came first to a node that was ready, or else where the chain is now. */
  private async beginWhereReady(): Promise<void> {
    if (this.standing?.begun === true) return;
    const { chain, duringSync, isReady } = this.parts;
    const tip = chain.tip();
    const beginning = this.queue.beginning() ?? (duringSync || isReady(tip.height) ? tip : undefined);
    if (beginning === undefined) return;
    const { height, hash } = beginning;
    this.missing = { chain: true, pool: true };
    this.adopt(await this.running().call('begin', { height, hash }));
    this.queue.begun();
  }

  private async write(): Promise<void> {
    const events = this.queue.batch();
    const last = events.at(-1);
    if (last === undefined) return;
    const handed = events.map(({ event, time, number }) => ({ event, time, number }));
    this.adopt(await this.running().call('append', handed));
    this.queue.written(last.number);
  }

  private tellOfLosses(): void {
    const { lost } = this.queue;
    if (lost > this.lossesTold) this.parts.logger.warning(`alternative blocks that the event journal lost: ${lost}`);
    this.lossesTold = lost;
  }

  private async lookAtDamage(): Promise<void> {
    const [damage] = this.damages.splice(0);
    if (damage !== undefined) this.adopt(await this.running().call('renew', damage));
  }

  /** The thread, a new one where the last has died. */
  private running(): WorkerThread<JournalThread> {
    if (this.thread?.alive === true) return this.thread;
    const { directory, network, keepDays, logger } = this.parts;
    this.thread = new WorkerThread<JournalThread>({
      entry: workerEntry(__dirname, 'thread'),
      setup: { directory, network, keepDays },
      onEvent: { warning: (text) => logger.warning(text) },
      onFailed: () => (this.isOpen = false),
    });
    return this.thread;
  }

  private adopt(standing: JournalStanding): void {
    const before = this.standing;
    this.standing = standing;
    if (this.reader === undefined || before?.journal !== standing.journal) {
      this.reader?.close();
      this.reader = JournalReader.open(this.parts.directory);
    }
    this.complained = undefined;
    if (before?.latest !== standing.latest) for (const listener of [...this.listeners]) this.tell(listener);
  }

  private tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.parts.logger.error('a reader of the journal failed', { error });
    }
  }

  private onUnreadable(error: unknown): void {
    if (isLost(error)) this.damages.push(errorText(error));
    else this.complain(error);
    this.wake?.();
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.closed) this.complain(error);
      return false;
    }
  }

  /** Once for each fault that lasts. */
  private complain(error: unknown): void {
    const text = errorText(error);
    if (text !== this.complained) this.parts.logger.warning(`the event journal is not written: ${text}`);
    this.complained = text;
  }
}

function sleep(milliseconds: number): { readonly over: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { over, end };
}
