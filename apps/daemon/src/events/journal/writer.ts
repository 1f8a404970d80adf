import { type ChainDb, type ChainReader, openChainDb } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { errorText, yieldToEventLoop } from '@wrkz/service-kit/base';
import { FileVanished, openDatabase, type SqliteConnection } from '@wrkz/sqlite';
import { blocksUpTo, completePool, completeStep, type TimedEvent, writeEvent } from './chain-follower';
import { isLost, lastNumberIn, renameDamaged } from './recovery';
import { journalFile, journalOptions } from './schema';
import { type ChainPosition, deleteDropped, deleteOldEntries, JournalStore } from './store';

export interface JournalWriterOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** Days for which entries are retained; 0 for no limit. */
  readonly retentionDays: number;
}

/** State of the journal after a call. */
export interface JournalStatus {
  /** Unique id of the journal. */
  readonly journal: string;
  /** The highest assigned number. */
  readonly latest: number;
  /** Whether the journal follows the chain. */
  readonly begun: boolean;
}

export interface NumberedEvent extends TimedEvent {
  /** Strictly increasing within this process. An event that is sent again has the same number. */
  readonly number: number;
}

/** The messages between the journal's thread and the main thread. */
export type JournalThread = {
  setup: JournalWriterOptions;
  /** No data: `open` opens the file, because that can fail and be retried. */
  ready: undefined;
  calls: {
    /** Opens or creates the file. */
    open: { argument: undefined; result: JournalStatus };
    /** The journal follows the chain from the block above this one; no effect if it follows the chain already. */
    begin: { argument: ChainPosition; result: JournalStatus };
    /** Appends events. Skips written ones: after a failure the same events are sent again. */
    append: { argument: readonly NumberedEvent[]; result: JournalStatus };
    /** Appends missing entries of the chain, and of the pool if its current content is given. */
    complete: { argument: { readonly pool: readonly Buffer[] | undefined }; result: JournalStatus };
    /** Replaces a journal in which a reader found damage. The argument is the reason. */
    renew: { argument: string; result: JournalStatus };
  };
  events: { warning: string };
};

export interface JournalWriterDependencies {
  readonly warn: (text: string) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface OpenJournal {
  readonly store: JournalStore;
  readonly connection: SqliteConnection;
}

/** Min milliseconds between two replacements of the journal, so that a failing disk is not filled. */
const MIN_RENEWAL_INTERVAL_MS = 60_000;

/** Writes the journal. One call runs at a time. */
export class JournalWriter {
  private opened: OpenJournal | undefined;
  private chain: ChainDb | undefined;
  private renewedAt = -Infinity;
  private closing = false;
  /** The highest number of a written event. */
  private written = 0;

  constructor(
    private readonly options: JournalWriterOptions,
    private readonly dependencies: JournalWriterDependencies,
  ) {}

  /** @throws Error if the journal can be neither opened nor created now */
  open(): Promise<JournalStatus> {
    return this.withJournal(() => undefined);
  }

  begin(position: ChainPosition): Promise<JournalStatus> {
    return this.withJournal(({ store }) => {
      if (store.position() !== undefined) return;
      store.commit(() => {
        // Clients that have read the old numbers must get 410: events since then are unknown.
        store.skipTo(store.state.last + 1);
        store.dropUpTo(store.state.last);
        // A reorganisation can start below this block.
        for (const block of blocksUpTo(this.reader(), position)) store.extend(block);
      });
    });
  }

  append(numbered: readonly NumberedEvent[]): Promise<JournalStatus> {
    return this.withJournal(async ({ store }) => {
      const events = numbered.filter(({ number }) => number > this.written);
      for (let from = 0; from < events.length && !this.closing;) {
        const to = store.commit(() => {
          let i = from;
          while (i < events.length && writeEvent(store, events[i] as NumberedEvent)) i++;
          return i;
        });
        this.written = events[to - 1]?.number ?? this.written;
        if (to === events.length) return;
        await this.completeChain(store);
        from = to + 1; // The event that did not follow is included in the chain that was read, or was removed since.
      }
    });
  }

  complete(pool: readonly Buffer[] | undefined): Promise<JournalStatus> {
    return this.withJournal(async ({ store }) => {
      await this.completeChain(store);
      if (pool === undefined || this.closing || store.position() === undefined) return;
      completePool(store, pool, this.dependencies.now());
    });
  }

  /** Replaces the journal. @param reason the damage, for the log */
  async renew(reason: string): Promise<JournalStatus> {
    if (this.opened !== undefined) this.replace(reason);
    return this.open();
  }

  /** Deletes old entries in steps. */
  async deleteOld(): Promise<void> {
    const { retentionDays } = this.options;
    while (!this.closing && this.opened !== undefined) {
      const { store, connection } = this.opened;
      const hasMore = retentionDays > 0 && deleteOldEntries(store, connection, retentionDays, this.dependencies.now());
      if (!deleteDropped(store, connection) && !hasMore) return;
      await yieldToEventLoop();
    }
  }

  close(): void {
    this.closing = true;
    this.opened?.store.close();
    this.opened = undefined;
    this.chain?.close();
  }

  private async completeChain(store: JournalStore): Promise<void> {
    while (!this.closing && !completeStep(store, this.reader(), this.dependencies.now())) await yieldToEventLoop();
  }

  private reader(): ChainReader {
    const { directory, network } = this.options;
    this.chain ??= openChainDb({ directory, network, readonly: true });
    return this.chain.reader;
  }

  /**
   * Runs work on the journal. If the journal is unusable, repeats the work once: on a new journal, or on the same one if only its
   * lock file is missing.
   */
  private async withJournal(work: (journal: OpenJournal) => void | Promise<void>): Promise<JournalStatus> {
    try {
      return await this.run(work);
    } catch (error) {
      if (!isLost(error) || this.closing) throw error;
      if (error instanceof FileVanished && error.file.endsWith('.lock')) this.reopen(error);
      else this.replace(errorText(error));
      return this.run(work);
    }
  }

  private async run(work: (journal: OpenJournal) => void | Promise<void>): Promise<JournalStatus> {
    this.opened ??= this.openFile();
    const { store } = this.opened;
    await work(this.opened);
    const { journal, last } = store.state;
    return { journal, latest: last, begun: store.position() !== undefined };
  }

  /**
   * Numbers continue at the clock in microseconds, which increases faster than the numbers of any journal. So they increase even
   * after the journal was lost or an older copy was restored.
   */
  private openFile(min = 0): OpenJournal {
    const first = Math.max(min, this.dependencies.now() * 1000);
    const database = openDatabase(journalOptions(this.options.directory, 'write', first));
    try {
      const store = new JournalStore(database);
      store.commit(() => store.skipTo(first));
      return { store, connection: database.connection };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** A journal whose lock file was removed is complete: the next open takes a new lock. */
  private reopen(error: FileVanished): void {
    this.opened?.store.close();
    this.opened = undefined;
    this.dependencies.warn(`the event journal is opened again: ${errorText(error)}`);
  }

  /** @throws Error if the last replacement was less than a minute ago */
  private replace(reason: string): void {
    const { directory } = this.options;
    const now = this.dependencies.now();
    const last = this.opened?.store.state.last ?? 0;
    this.opened?.store.close();
    this.opened = undefined;
    if (now - this.renewedAt < MIN_RENEWAL_INTERVAL_MS && now >= this.renewedAt) {
      throw new Error(`the event journal is damaged again, less than a minute after it was replaced: ${reason}`);
    }
    this.renewedAt = now;
    const min = Math.max(last, lastNumberIn(directory)) + 1;
    const name = renameDamaged(directory, new Date(now));
    const where = name === undefined ? `${journalFile(directory)} is gone` : `the old one is now ${name}`;
    this.dependencies.warn(`the event journal cannot be used, a new one replaces it (${where}): ${reason}`);
    this.opened = this.openFile(min);
  }
}
