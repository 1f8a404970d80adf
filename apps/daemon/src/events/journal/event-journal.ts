import type { NetworkName } from '@wrkz/core-types';
import {
  errorText,
  type Logger,
  MACHINE_CLOCK,
  type MetricFactory,
  workerEntry,
  WorkerThread,
} from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import { InitialSync, type SyncStatus } from '../initial-sync';
import type { NodeEvent, NodeEvents } from '../node-events';
import { EntriesGone, type JournalEntry, type JournalTopic } from './entry';
import { type Dropped, EventQueue, positionBefore } from './queue';
import { type JournalPage, JournalReader } from './reader';
import { isLost } from './recovery';
import type { ChainPosition } from './store';
import type { JournalStatus, JournalThread } from './writer';

export interface EventJournalOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** Write the events of the initial synchronization too. */
  readonly duringSync: boolean;
  /** Days for which entries are retained; 0 for no limit. */
  readonly retentionDays: number;
  /** Milliseconds until a failed write is retried. */
  readonly retryMs?: number;
}

export interface EventJournalDependencies {
  readonly events: Pick<NodeEvents, 'subscribe'>;
  /** The tip after the last published event. */
  readonly chain: { tip(): ChainPosition };
  readonly pool: { hashes(): Buffer[] };
  /** Whether the initial synchronization is over at a block index. */
  readonly isReady: (height: number) => boolean;
  readonly logger: Logger;
}

const RETRY_MS = 5_000;
/** Min milliseconds between two commits; the events in between share one. */
const COMMIT_INTERVAL_MS = 25;
/** Max milliseconds that `close` waits for queued events; the next start reads the rest from the chain. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Starts the journal. Call it before anything can change the chain, and close the journal before the chain. */
export function startJournal({
  config,
  directory,
  peers,
  ...dependencies
}: Omit<EventJournalDependencies, 'isReady'> & {
  readonly config: DaemonConfig;
  readonly directory: string;
  readonly peers: SyncStatus;
}): Promise<EventJournal> {
  const initialSync = new InitialSync(peers);
  const options = {
    directory,
    network: config.network.name,
    duringSync: config.options['events-during-sync'],
    retentionDays: config.options['events-keep'],
  };
  return EventJournal.start(options, { ...dependencies, isReady: (height) => initialSync.isOver(height) });
}

/**
 * The event journal (docs/architecture/events.md). A thread writes it, so neither the main thread nor the chain engine waits for
 * the disk. A connection in the main thread reads it. A failure of the journal never stops the node: events stay queued, or are
 * read from the chain later, and a damaged journal is replaced.
 */
export class EventJournal {
  private readonly queue = new EventQueue();
  private readonly listeners = new Set<() => void>();
  private readonly unsubscribe: () => void;
  private thread: WorkerThread<JournalThread> | undefined;
  private reader: JournalReader | undefined;
  /** The last reported status. After a failure of the thread it is used until a new thread has opened the file. */
  private status: JournalStatus | undefined;
  private isOpen = false;
  private working: Promise<void> | undefined;
  private wake: (() => void) | undefined;
  private closed = false;
  /** Whether chain and pool may have changes without entries. */
  private missing: Dropped = { chain: true, pool: true };
  private reportedLost = 0;
  private readonly damages: string[] = [];
  /** The last logged failure: the same text is not logged again. */
  private failure: string | undefined;

  private constructor(
    private readonly options: EventJournalOptions,
    private readonly dependencies: EventJournalDependencies,
  ) {
    this.unsubscribe = dependencies.events.subscribe((event) => this.onEvent(event));
  }

  /** Opens the journal. Missing entries are read from the chain in the background. Never rejects. */
  static async start(options: EventJournalOptions, dependencies: EventJournalDependencies): Promise<EventJournal> {
    const journal = new EventJournal(options, dependencies);
    await journal.attempt(async () => {
      await journal.open();
      // Before clients can read: `begin` drops older entries, and a client that had read them would get 410.
      await journal.beginIfReady();
    });
    journal.working = journal.work();
    return journal;
  }

  /** The number of the newest entry, or the number after which the journal begins; 0 without a journal. */
  latest(): number {
    return this.status?.latest ?? 0;
  }

  /** Queued events, and dropped events that cannot be read again from the chain. */
  get backlog(): { readonly waiting: number; readonly lost: number } {
    return { waiting: this.queue.size, lost: this.queue.lost };
  }

  /** Publishes the metrics of docs/operations/events.md#metrics. */
  publish(metrics: MetricFactory): void {
    metrics.gauge('journal_latest_number', 'The number of the newest entry', [], (gauge) => gauge.set(this.latest()));
    metrics.gauge('journal_waiting_events', 'Events that are not on disk yet', [], (gauge) => {
      gauge.set(this.backlog.waiting);
    });
    metrics.counted(
      'journal_lost_events_total',
      'Events that were not written and cannot be read again',
      () => this.backlog.lost,
    );
  }

  /**
   * Up to `limit` entries of the topics above `after` (0: the first retained entry), ascending. There may be fewer although more
   * follow: only an empty list means that there are no more.
   *
   * @throws EntriesGone
   */
  after(after: number, topics: readonly JournalTopic[], limit: number): JournalEntry[] {
    const page = this.page(after, topics, limit);
    return (page?.entries ?? []).map((entry) => {
      return { ...entry, body: JSON.parse(entry.body) as JournalEntry['body'] };
    });
  }

  /** As `after`, with the bodies as JSON text; undefined while the journal cannot be read. @throws EntriesGone */
  page(after: number, topics: readonly JournalTopic[], limit: number): JournalPage | undefined {
    try {
      return this.reader?.page(after, topics, limit);
    } catch (error) {
      if (error instanceof EntriesGone) throw error;
      this.onUnreadable(error);
      return undefined;
    }
  }

  /** Calls `listener` after entries were added or dropped. @returns ends the subscription */
  onEntry(listener: () => void): () => void {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /** Writes the queued events, for at most a second, and closes. */
  async close(): Promise<void> {
    this.unsubscribe();
    this.closed = true;
    this.wake?.();
    const timeout = new AbortController();
    await Promise.race([this.working, MACHINE_CLOCK.wait(CLOSE_TIMEOUT_MS, timeout.signal)]);
    timeout.abort();
    await this.thread?.close();
    await this.working;
    this.reader?.close();
    this.reader = undefined;
    this.listeners.clear();
  }

  private onEvent(event: NodeEvent): void {
    const { chain, isReady } = this.dependencies;
    const tip = chain.tip();
    const height = event.kind === 'block' ? event.height : tip.height;
    const ready = this.status?.begun === true || this.options.duringSync || isReady(height);
    if (this.status !== undefined && !ready) return;
    this.queue.add({ event, time: Date.now(), ready, before: positionBefore(event, tip) });
    this.wake?.();
  }

  private async work(): Promise<void> {
    while (!this.closed || (this.queue.size > 0 && this.status?.begun === true)) {
      const succeeded = await this.attempt(async () => {
        if (!this.isOpen) await this.open();
        await this.renewIfDamaged();
        await this.beginIfReady();
        if (this.status?.begun !== true) return;
        await this.complete();
        await this.append();
      });
      if (this.closed && !succeeded) return;
      await this.pause(succeeded);
    }
  }

  /** Waits for work, and at least for the commit interval or, after a failure, the retry interval. */
  private async pause(succeeded: boolean): Promise<void> {
    const isIdle = succeeded && this.queue.size === 0 && this.damages.length === 0;
    if (isIdle && !this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
    if (this.closed) return;
    const rest = new AbortController();
    this.wake = () => this.closed && rest.abort();
    await MACHINE_CLOCK.wait(succeeded ? COMMIT_INTERVAL_MS : (this.options.retryMs ?? RETRY_MS), rest.signal);
    this.wake = undefined;
  }

  private async open(): Promise<void> {
    const thread = this.runningThread();
    await thread.ready;
    this.update(await thread.call('open', undefined));
    this.isOpen = true;
  }

  /** Appends the missing entries from chain and pool. */
  private async complete(): Promise<void> {
    const dropped = this.queue.takeDropped();
    this.missing = { chain: this.missing.chain || dropped.chain, pool: this.missing.pool || dropped.pool };
    const { chain, pool } = this.missing;
    this.reportLost();
    if (!chain && !pool) return;
    const hashes = pool ? this.dependencies.pool.hashes() : undefined;
    this.update(await this.runningThread().call('complete', { pool: hashes }));
    this.missing = { chain: false, pool: false };
  }

  /** Starts the journal at the block before the first event after synchronization, or at the tip without such an event. */
  private async beginIfReady(): Promise<void> {
    if (this.status?.begun === true) return;
    const { chain, isReady } = this.dependencies;
    const tip = chain.tip();
    const isNow = this.options.duringSync || isReady(tip.height);
    const beginning = this.queue.beginning() ?? (isNow ? tip : undefined);
    if (beginning === undefined) return;
    const { height, hash } = beginning;
    this.missing = { chain: true, pool: true };
    this.update(await this.runningThread().call('begin', { height, hash }));
    this.queue.begun();
  }

  private async append(): Promise<void> {
    const batch = this.queue.batch();
    const last = batch.at(-1);
    if (last === undefined) return;
    const events = batch.map(({ event, time, number }) => ({ event, time, number }));
    this.update(await this.runningThread().call('append', events));
    this.queue.written(last.number);
  }

  private reportLost(): void {
    const { lost } = this.queue;
    if (lost > this.reportedLost)
      this.dependencies.logger.warning(`the event journal lost ${lost} events since the start`);
    this.reportedLost = lost;
  }

  private async renewIfDamaged(): Promise<void> {
    const [damage] = this.damages.splice(0);
    if (damage !== undefined) this.update(await this.runningThread().call('renew', damage));
  }

  /** The running thread. Starts a new one after a failure. */
  private runningThread(): WorkerThread<JournalThread> {
    if (this.thread?.alive === true) return this.thread;
    const { directory, network, retentionDays } = this.options;
    this.thread = new WorkerThread<JournalThread>({
      entry: workerEntry(__dirname, 'thread'),
      setup: { directory, network, retentionDays },
      onEvent: { warning: (text) => this.dependencies.logger.warning(text) },
      onFailed: () => (this.isOpen = false),
    });
    return this.thread;
  }

  private update(status: JournalStatus): void {
    const before = this.status;
    this.status = status;
    if (this.reader === undefined || before?.journal !== status.journal) {
      this.reader?.close();
      this.reader = JournalReader.open(this.options.directory);
    }
    this.failure = undefined;
    if (before?.latest !== status.latest) for (const listener of [...this.listeners]) this.notify(listener);
  }

  private notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.dependencies.logger.error('a reader of the journal failed', { error });
    }
  }

  private onUnreadable(error: unknown): void {
    if (isLost(error)) this.damages.push(errorText(error));
    else this.logFailure(error);
    this.wake?.();
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.closed) this.logFailure(error);
      return false;
    }
  }

  private logFailure(error: unknown): void {
    const text = errorText(error);
    if (text !== this.failure) this.dependencies.logger.warning(`the event journal is not written: ${text}`);
    this.failure = text;
  }
}
