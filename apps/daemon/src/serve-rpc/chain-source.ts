import { EventEmitter } from 'node:events';
import { type ChainDb, type ChainReader, DatabaseAway, EmptyDatabase, openChainDb, WrongNetwork } from '@wrkz/chain-db';
import type { BlockFacts } from '@wrkz/consensus';
import { errorText, type Logger } from '@wrkz/service-kit';
import { WrongSchemaVersion } from '@wrkz/sqlite';
import { ReaderPool, type ReaderPoolOptions } from '../rpc';
import type { QueryCaller, QueryName, QueryRunner, QueryTable } from '../rpc/queries';

export type ChainSourceOptions = Omit<ReaderPoolOptions, 'besideOwn' | 'closedError'>;

/** A change of the main chain: blocks were added, or blocks were removed (`switch`). */
export interface SeenCommit {
  readonly kind: 'append' | 'switch';
  readonly height: number;
  readonly hash: Buffer;
}

interface ChainSourceEvents {
  commit: [SeenCommit];
  /** Permanent error: this program cannot read the new database. */
  failed: [Error];
}

/** The open database and its users. */
interface OpenedChain {
  readonly db: ChainDb;
  readonly threads: ReaderPool;
  readonly commits: CommitWatcher;
  readonly schema: number;
}

const POLL_INTERVAL_MS = 100;
/** Polls between two attempts to open a missing database. */
const POLLS_PER_ATTEMPT = 3;

/**
 * The database of a node that runs beside this process, read-only. It polls for commits, and reopens the database if its files
 * were removed or replaced (a resync, a restored copy) or its tables changed. No snapshot stays open between two queries, so
 * the node can always checkpoint its write-ahead log.
 */
export class ChainSource extends EventEmitter<ChainSourceEvents> implements QueryRunner {
  private opened: OpenedChain | undefined;
  private closing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private polls = 0;
  /** The last logged reason. */
  private logged = '';
  private closed = false;

  private constructor(
    private readonly options: ChainSourceOptions,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** @throws ChainDbError, SqliteFileError with a message for the operator: no database, another network, another schema... */
  static open(options: ChainSourceOptions, logger: Logger): ChainSource {
    const source = new ChainSource(options, logger);
    source.opened = source.openDatabase();
    source.timer = setInterval(() => source.poll(), POLL_INTERVAL_MS);
    return source;
  }

  /** @throws DatabaseAway */
  get reader(): ChainReader {
    return this.current().db.reader;
  }

  async run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer> {
    const response = await this.current().threads.run(name, query, caller);
    // The cache must see a commit that happened during the query before it stores the response.
    this.detectCommits();
    return response;
  }

  /** Emits `commit` for new commits. A cached response is valid if this was called before the lookup. */
  detectCommits(): void {
    const { opened } = this;
    if (opened === undefined) return;
    try {
      const commit = opened.commits.next();
      if (opened.db.reader.schemaMark() !== opened.schema) return this.reopen('its tables have changed');
      if (commit !== undefined) this.emit('commit', commit);
    } catch (error) {
      this.reopen(errorText(error));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.closing;
    const { opened } = this;
    this.opened = undefined;
    if (opened !== undefined) await closeChain(opened);
  }

  private current(): OpenedChain {
    if (this.opened === undefined) throw new DatabaseAway(this.options.directory);
    return this.opened;
  }

  private openDatabase(): OpenedChain {
    const { directory, network, memory } = this.options;
    const db = openChainDb({ directory, network, readonly: true, memory });
    try {
      const commits = new CommitWatcher(db.reader);
      db.checkStanding();
      const closedError = (): Error => new DatabaseAway(directory);
      return {
        db,
        commits,
        schema: db.reader.schemaMark(),
        threads: new ReaderPool({ ...this.options, besideOwn: true, closedError }),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private poll(): void {
    if (this.opened === undefined) return this.tryOpen();
    try {
      this.opened.db.checkStanding();
    } catch (error) {
      return this.reopen(errorText(error));
    }
    this.detectCommits();
  }

  /** Closes the database; the next polls open it again. */
  private reopen(reason: string): void {
    const { opened } = this;
    if (opened === undefined || this.closed) return;
    this.opened = undefined;
    this.polls = 0;
    this.logged = '';
    this.logger.warning(`the chain database is reopened: ${reason}`);
    // SQLite connections of one process share state by file name: all old ones must be closed first.
    this.closing = closeChain(opened)
      .catch((error: unknown) => this.logger.error(`closing the database failed: ${errorText(error)}`))
      .finally(() => (this.closing = undefined));
  }

  private tryOpen(): void {
    if (this.closing !== undefined || this.polls++ % POLLS_PER_ATTEMPT !== 0) return;
    try {
      this.opened = this.openDatabase();
    } catch (error) {
      if (!(error instanceof WrongNetwork) && !isNewer(error)) return this.logOnce(error);
      clearInterval(this.timer);
      this.emit('failed', error);
      return;
    }
    const { height, hash } = this.opened.db.reader.tip();
    this.logger.warning(`the chain database is open again, at block ${String(height)}`);
    this.emit('commit', { kind: 'switch', height, hash });
  }

  private logOnce(error: unknown): void {
    const text = error instanceof EmptyDatabase ? 'it has no block yet' : errorText(error);
    if (text === this.logged) return;
    this.logged = text;
    this.logger.warning(`the chain database cannot be opened, the response to requests is BUSY until then: ${text}`);
  }
}

async function closeChain({ db, threads }: OpenedChain): Promise<void> {
  try {
    await threads.close();
  } finally {
    db.close();
  }
}

/** Whether a newer program has changed the tables: a permanent error. */
function isNewer(error: unknown): error is WrongSchemaVersion {
  return error instanceof WrongSchemaVersion && error.found > error.wanted;
}

/**
 * Detects the commits of another process. The database reports that something was written. If the previous tip is no longer on the
 * main chain, the commit was a reorganisation or a rewind.
 */
class CommitWatcher {
  private mark: number;
  private tip: Pick<BlockFacts, 'height' | 'hash'>;

  /** @throws EmptyDatabase */
  constructor(private readonly reader: Pick<ChainReader, 'commitMark' | 'snapshot' | 'tip' | 'hashAt'>) {
    this.mark = reader.commitMark();
    this.tip = reader.tip();
  }

  /** The change of the main chain since the last call; undefined without one. Takes microseconds. */
  next(): SeenCommit | undefined {
    const mark = this.reader.commitMark();
    if (mark === this.mark) return undefined;
    const { tip: before } = this;
    const seen = this.reader.snapshot(() => {
      const { height, hash } = this.reader.tip();
      const isOnChain = this.reader.hashAt(before.height)?.equals(before.hash) === true;
      return { kind: isOnChain ? ('append' as const) : ('switch' as const), height, hash };
    });
    this.mark = mark;
    this.tip = seen;
    return seen.kind === 'append' && seen.height === before.height ? undefined : seen;
  }
}
