import { EventEmitter } from 'node:events';
import {
  type ChainDb,
  type ChainReader,
  DatabaseAway,
  type DatabaseMemory,
  EmptyDatabase,
  openChainDb,
  WrongNetwork,
  WrongSchema,
} from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { errorText, type Logger } from '@wrkz/service-kit';
import { ReaderPool } from '../rpc';
import type { QueryCaller, QueryName, QueryRunner, QueryTable } from '../rpc/queries';
import { CommitWatch, type SeenCommit } from './commit-watch';

export interface ChainSourceSetup {
  readonly directory: string;
  readonly network: NetworkName;
  readonly memory: DatabaseMemory;
  readonly threads: number;
}

interface SourceEvents {
  commit: [SeenCommit];
  /** What cannot be gone on with: the database became one that this program does not read. */
  failed: [Error];
}

/** What is open at a time. */
interface Opened {
  readonly db: ChainDb;
  readonly threads: ReaderPool;
  readonly watch: CommitWatch;
  readonly schema: number;
}

/** Milliseconds from one look for commits to the next. */
const LOOK_INTERVAL = 100;
/** Looks from one try to open a database that is away to the next. */
const LOOKS_A_TRY = 3;

/**
 * The database of a node that runs beside this process, for reading. It looks for commits, and opens anew where the files
 * were removed or replaced (the node resynchronizes, a copy was put in place) or the tables changed. Nothing is ever held
 * between two questions, so the node's log is copied back as if nobody read.
 */
export class ChainSource extends EventEmitter<SourceEvents> implements QueryRunner {
  private opened: Opened | undefined;
  /** While what was open is being closed. */
  private closing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looks = 0;
  private told = '';
  private over = false;

  private constructor(
    private readonly setup: ChainSourceSetup,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** @throws ChainDbError in words for the operator: no database, another network, another schema... */
  static open(setup: ChainSourceSetup, logger: Logger): ChainSource {
    const source = new ChainSource(setup, logger);
    source.opened = source.openNow();
    source.timer = setInterval(() => source.watch(), LOOK_INTERVAL);
    return source;
  }

  /** Reads the chain as it stands now. @throws DatabaseAway */
  get reader(): ChainReader {
    return this.openOne().db.reader;
  }

  /** Whether the chain can be read now. */
  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  async run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer> {
    const answer = await this.openOne().threads.run(name, query, caller);
    // Who keeps the answer learns first what was committed while it was made.
    this.look();
    return answer;
  }

  /** Sees what was committed; answers that are kept are right when this was called before they are looked for. */
  look(): void {
    const { opened } = this;
    if (opened === undefined) return;
    try {
      const seen = opened.watch.look();
      if (opened.db.reader.schemaMark() !== opened.schema) return this.leave('its tables have changed');
      if (seen !== undefined) this.emit('commit', seen);
    } catch (error) {
      this.leave(errorText(error));
    }
  }

  async close(): Promise<void> {
    this.over = true;
    clearInterval(this.timer);
    await this.closing;
    const { opened } = this;
    this.opened = undefined;
    if (opened !== undefined) await closeAll(opened);
  }

  private openOne(): Opened {
    if (this.opened === undefined) throw new DatabaseAway(this.setup.directory);
    return this.opened;
  }

  private openNow(): Opened {
    const { directory, network, memory, threads } = this.setup;
    const db = openChainDb({ directory, network, readonly: true, memory });
    try {
      const watch = new CommitWatch(db.reader);
      db.checkStanding();
      const closedError = (): Error => new DatabaseAway(directory);
      return {
        db,
        watch,
        schema: db.reader.schemaMark(),
        threads: new ReaderPool({ directory, network, memory, threads, besideOwn: true, closedError }),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private watch(): void {
    if (this.opened === undefined) return this.tryAgain();
    try {
      this.opened.db.checkStanding();
    } catch (error) {
      return this.leave(errorText(error));
    }
    this.look();
  }

  /** Closes what is open and has it opened anew. */
  private leave(reason: string): void {
    const { opened } = this;
    if (opened === undefined || this.over) return;
    this.opened = undefined;
    this.looks = 0;
    this.told = '';
    this.logger.warning(`the chain database is opened anew: ${reason}`);
    // Connections of one process share what they know of a file by its name: none of the old ones may be left.
    this.closing = closeAll(opened)
      .catch((error: unknown) => this.logger.error(`closing the database failed: ${errorText(error)}`))
      .finally(() => (this.closing = undefined));
  }

  private tryAgain(): void {
    if (this.closing !== undefined || this.looks++ % LOOKS_A_TRY !== 0) return;
    try {
      this.opened = this.openNow();
    } catch (error) {
      if (!(error instanceof WrongNetwork) && !isNewer(error)) return this.tellOnce(error);
      clearInterval(this.timer);
      this.emit('failed', error);
      return;
    }
    const { height, hash } = this.opened.db.reader.tip();
    this.logger.warning(`the chain database is open again, at block ${String(height)}`);
    this.emit('commit', { kind: 'switch', height, hash });
  }

  private tellOnce(error: unknown): void {
    const text = error instanceof EmptyDatabase ? 'it holds no block yet' : errorText(error);
    if (text === this.told) return;
    this.told = text;
    this.logger.warning(`the chain database cannot be opened, requests are answered BUSY until then: ${text}`);
  }
}

async function closeAll({ db, threads }: Opened): Promise<void> {
  try {
    await threads.close();
  } finally {
    db.close();
  }
}

/** A newer program has changed the tables; waiting does not help. */
function isNewer(error: unknown): error is WrongSchema {
  return error instanceof WrongSchema && error.found > error.wanted;
}
