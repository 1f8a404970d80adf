import { openChainDb, type ChainDb, type ChainReader } from '@wrkz/chain-db';
import { errorText, yieldToEventLoop } from '@wrkz/service-kit/base';
import { openDatabase, type SqliteConnection } from '@wrkz/sqlite';
import { checkNewest } from './checks';
import { blocksUpTo, completePool, completeStep } from './completion';
import { writeEvent } from './follow';
import type { HandedEvent, JournalSetup, JournalStanding } from './protocol';
import { deleteCutEntries, deleteOldEntries } from './retention';
import { journalFile, journalOptions } from './schema';
import { isLost, lastNumberIn, setAside } from './set-aside';
import { type ChainPosition, JournalStore } from './store';

export interface WriterSurroundings {
  readonly warn: (text: string) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface OpenJournal {
  readonly store: JournalStore;
  readonly connection: SqliteConnection;
}

/** Milliseconds from one journal that had to be begun anew to the next: a disk that damages everything is not filled. */
const RENEWED_AT_MOST_EVERY = 60_000;

/** The one who writes the journal. Calls come one at a time. */
export class JournalWriter {
  private opened: OpenJournal | undefined;
  private chain: ChainDb | undefined;
  private renewedAt = -Infinity;
  private closing = false;
  /** The highest number of an event that is on disk. */
  private written = 0;

  constructor(
    private readonly setup: JournalSetup,
    private readonly around: WriterSurroundings,
  ) {}

  /** @throws Error when there can be no journal now */
  open(): Promise<JournalStanding> {
    return this.guarded(() => undefined);
  }

  begin(position: ChainPosition): Promise<JournalStanding> {
    return this.guarded(({ store }) => {
      if (store.position() !== undefined) return;
      store.commit(() => {
        // Whoever asked before has not been told of what happened since.
        store.skipTo(store.state.last + 1);
        store.keepAfter(store.state.last);
        // The chain may turn below its beginning, too.
        for (const block of blocksUpTo(this.reader(), position)) store.extend(block);
      });
    });
  }

  append(handed: readonly HandedEvent[]): Promise<JournalStanding> {
    return this.guarded(async ({ store }) => {
      const events = handed.filter(({ number }) => number > this.written);
      for (let from = 0; from < events.length && !this.closing;) {
        const to = store.commit(() => {
          let i = from;
          while (i < events.length && writeEvent(store, events[i] as HandedEvent)) i++;
          return i;
        });
        this.written = events[to - 1]?.number ?? this.written;
        if (to === events.length) return;
        await this.completeChain(store);
        from = to + 1; // What did not follow is part of the chain that was read, or was taken back since.
      }
    });
  }

  complete(pool: readonly Buffer[] | undefined): Promise<JournalStanding> {
    return this.guarded(async ({ store }) => {
      await this.completeChain(store);
      if (pool === undefined || this.closing || store.position() === undefined) return;
      completePool(store, pool, this.around.now());
    });
  }

  /** @param why what somebody met who read */
  async renew(why: string): Promise<JournalStanding> {
    if (this.opened !== undefined) this.beginAnew(why);
    return this.open();
  }

  /** Deletes what is too old, a little at a time. */
  async sweep(): Promise<void> {
    const { keepDays } = this.setup;
    while (!this.closing && this.opened !== undefined) {
      const { store, connection } = this.opened;
      const old = keepDays > 0 && deleteOldEntries(store, connection, keepDays, this.around.now());
      if (!deleteCutEntries(store, connection) && !old) return;
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
    while (!this.closing && !completeStep(store, this.reader(), this.around.now())) await yieldToEventLoop();
  }

  private reader(): ChainReader {
    const { directory, network } = this.setup;
    this.chain ??= openChainDb({ directory, network, readonly: true });
    return this.chain.reader;
  }

  /** Does the work on the journal, and where the journal turns out to be lost, once more on a new one. */
  private async guarded(work: (journal: OpenJournal) => void | Promise<void>): Promise<JournalStanding> {
    try {
      return await this.done(work);
    } catch (error) {
      if (!isLost(error) || this.closing) throw error;
      this.beginAnew(errorText(error));
      return this.done(work);
    }
  }

  private async done(work: (journal: OpenJournal) => void | Promise<void>): Promise<JournalStanding> {
    this.opened ??= this.openFile();
    const { store } = this.opened;
    await work(this.opened);
    const { journal, last } = store.state;
    return { journal, latest: last, begun: store.position() !== undefined };
  }

  /**
   * Numbers go on from the clock, in microseconds, which no journal outruns: so they grow also where the journal before is
   * gone, or an older copy of it was put back.
   */
  private openFile(leastNumber = 0): OpenJournal {
    const first = Math.max(leastNumber, this.around.now() * 1000);
    const database = openDatabase(journalOptions(this.setup.directory, 'write', first));
    try {
      checkNewest(database.connection);
      const store = new JournalStore(database);
      store.commit(() => store.skipTo(first));
      return { store, connection: database.connection };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** @throws Error when it was done only just now */
  private beginAnew(why: string): void {
    const { directory } = this.setup;
    const now = this.around.now();
    const told = this.opened?.store.state.last ?? 0;
    this.opened?.store.close();
    this.opened = undefined;
    if (now - this.renewedAt < RENEWED_AT_MOST_EVERY && now >= this.renewedAt) {
      throw new Error(`the event journal was lost again: ${why}`);
    }
    this.renewedAt = now;
    const least = Math.max(told, lastNumberIn(directory)) + 1;
    const name = setAside(directory, new Date(now));
    const where = name === undefined ? `${journalFile(directory)} is gone` : `it now lies in ${name}`;
    this.around.warn(`the event journal cannot be used and is begun anew (${where}): ${why}`);
    this.opened = this.openFile(least);
  }
}
