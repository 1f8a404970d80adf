import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import { errorText } from '@wrkz/service-kit/base';
import {
  FileCutShort,
  NotOurFile,
  openDatabase,
  type DatabaseOptions,
  type SqliteConnection,
  type SqliteDatabase,
  sqliteFailure,
  WrongLog,
} from '@wrkz/sqlite';
import type { StoredRingMember } from '../transaction/model';
import type { AppliedTip, LedgerChange } from '../ledger/model';
import { EventTable } from './events';
import { IDENTITY, isForeign, isForeignDatabaseFile } from './foreign';
import { LedgerLog } from './ledger-log';
import type { WalletDbMark } from './mark';
import { DetailsTable, NotifiedTable, SpendingTable } from './records';
import { RequestTable } from './requests';
import { RowSealer } from './seal';
import { SealedDatabase, STATE } from './sealed-database';
import { DamagedSealedRow, sealedTableSchema } from './sealed-table';
import { DelayedTable, type PreparedTransaction, RetiredTable, SendTable } from './sends';

export const WALLET_DB_APPLICATION_ID = 0x57_4b_57_44;

export const TITLE = 'wallet database';

/** The identity is the first one, so that it is in the first pages. */
const MONEY_TABLES = [
  IDENTITY,
  STATE,
  'sends',
  'settled_sends',
  'requests',
  'rings',
  'prepared',
  'delayed',
  'log',
  'progress',
  'spending',
  'settings',
];
/** Too large to be checked at every open; they cannot make a payment happen twice. */
const OTHER_TABLES = ['retired', 'details', 'events', 'notified', 'labels'];
export const WALLET_DB_TABLES = [...MONEY_TABLES, ...OTHER_TABLES];

/** The database itself, and the files that SQLite and its package put beside it. */
export const FILE_SUFFIXES = ['', '-wal', '-shm', '-journal', '-mark'];

/** Each may have a hundred kilobytes. */
const MAX_PREPARED = 1_000;

/** Why a database does not have everything that happened before `since`. */
export type DatabaseLoss = 'missing' | 'damaged' | 'outdated';

export interface WalletDbIdentity {
  /** Random, 32 hex characters. */
  readonly database: string;
  /** Unix milliseconds from which on it has everything. */
  readonly since: number;
  /** Undefined: nothing is known to be missing. */
  readonly loss?: DatabaseLoss | undefined;
  /** The operator has decided to go on in spite of the loss. */
  readonly isLossAcknowledged: boolean;
}

export interface WalletDbOptions {
  /** The container. */
  readonly walletFile: string;
  /** 64 hex characters. */
  readonly privateViewKey: string;
  /** What the container says about its database (`walletDbMarkOf`). */
  readonly expected: WalletDbMark | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Text of the operator on an address or a transaction hash. */
export interface Label {
  readonly subject: string;
  readonly text: string;
}

/** The database belongs to another wallet. It was not touched. */
export class ForeignWalletDb extends Error {
  override readonly name = 'ForeignWalletDb';

  constructor(readonly file: string) {
    super(`${file} is the database of another wallet. Move it away, or put the right one in its place.`);
  }
}

/** The database cannot be used. The operator restores a backup, or decides to begin a new one (`WalletDb.replaceDamaged`). */
export class WalletDbDamaged extends Error {
  override readonly name = 'WalletDbDamaged';

  constructor(
    readonly file: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the wallet database ${file} is damaged: ${reason}`, options);
  }
}

export const walletDbName = (walletFile: string): string => `${walletFile}.db`;

/**
 * The SQLite database beside a container: everything that must survive between two writes of the container
 * (docs/protocol/wallet.md#wallet-database). Each call that writes is one transaction, or joins the one that
 * `transaction` runs, and is on the disk when it returns. The caller holds the lock of the container.
 *
 * Damage has two forms. A file that cannot be opened at all makes `open` throw WalletDbDamaged and stays where it is: the
 * wallet then runs without a database, for reading, until the operator calls `replaceDamaged`. A damaged row throws
 * DamagedSealedRow when it is read and sets `damage`, also for later opens: the wallet then refuses to send until the operator
 * calls `dropDamagedRows`. After both, `identity.loss` is 'damaged'.
 */
export class WalletDb {
  readonly sends;
  readonly requests;
  /** Rings by the key image of their input. */
  readonly rings;
  /** By hash; at most 1,000. */
  readonly prepared;
  readonly delayed;
  readonly retired;
  readonly details;
  readonly log;
  readonly events;
  readonly spending;
  readonly notified;
  /** By subject. */
  readonly labels;
  /** Small values by name, such as a pause of sends with its reason. */
  readonly settings;
  /**
   * Whether the container names this database. If not, the caller writes the container with `mark` before it appends to the
   * log: the container could not be brought up to date by it.
   */
  readonly isNamedByContainer: boolean;
  readonly #identities;

  private constructor(
    private readonly database: SealedDatabase,
    { expected, now }: WalletDbOptions,
  ) {
    this.sends = new SendTable(database);
    this.requests = new RequestTable(database);
    this.rings = database.table<readonly StoredRingMember[]>('rings');
    this.prepared = database.table<PreparedTransaction>('prepared', MAX_PREPARED);
    this.delayed = new DelayedTable(database);
    this.retired = new RetiredTable('retired', database);
    this.details = new DetailsTable('details', database);
    this.log = new LedgerLog<LedgerChange, AppliedTip>(database);
    this.events = new EventTable(database);
    this.spending = new SpendingTable(database);
    this.notified = new NotifiedTable('notified', database);
    this.labels = database.table<Label>('labels');
    this.settings = database.table<unknown>('settings');
    this.#identities = database.table<WalletDbIdentity>(IDENTITY);
    this.isNamedByContainer = this.continues(expected, now);
    database.begin();
  }

  /** @throws ForeignWalletDb when the file beside the container is the database of another wallet */
  static checkNotForeign(walletFile: string, privateViewKey: string): void {
    const file = walletDbName(walletFile);
    if (existsSync(file) && isForeignDatabaseFile(file, new RowSealer(privateViewKey))) throw new ForeignWalletDb(file);
  }

  /**
   * Opens the database of a container, or creates one.
   *
   * @throws ForeignWalletDb, WalletDbDamaged; FileLocked, FileInaccessible, WrongSchemaVersion of the SQLite package
   */
  static open(options: WalletDbOptions): WalletDb {
    return WalletDb.openWith(options, undefined);
  }

  /** Renames a damaged database to `<file>.<milliseconds>.damaged` and creates a new one. The old one must be closed. */
  static replaceDamaged(options: WalletDbOptions): WalletDb {
    const file = walletDbName(options.walletFile);
    for (const suffix of FILE_SUFFIXES) {
      if (existsSync(file + suffix)) renameSync(file + suffix, `${file}.${options.now}.damaged${suffix}`);
    }
    return WalletDb.openWith(options, 'damaged');
  }

  get identity(): WalletDbIdentity {
    const identity = this.#identities.get(IDENTITY);
    if (identity === undefined) throw this.#identities.damaged();
    return identity;
  }

  /** For the container, which is written with it. */
  get mark(): WalletDbMark {
    return { database: this.identity.database, position: this.database.state.position };
  }

  /** The table in which a damaged row was found; undefined after the operator's decision. */
  get damage(): string | undefined {
    return this.database.state.damage;
  }

  /** The operator goes on in spite of `identity.loss`. */
  acknowledgeLoss(): void {
    this.setIdentity({ ...this.identity, isLossAcknowledged: true });
  }

  /**
   * The operator goes on without the damaged rows: deletes them, discards the ledger log and all events before a missing
   * one. The caller writes the container before, so that it does not need the log.
   */
  dropDamagedRows(now: number): void {
    this.transaction(() => {
      for (const table of WALLET_DB_TABLES) this.database.table(table).deleteDamaged();
      this.log.restart(this.database.state.position);
      this.events.dropUpToGap();
      this.database.update({ damage: undefined });
      this.setIdentity({ ...this.identity, since: now, loss: 'damaged', isLossAcknowledged: true });
    });
  }

  /** All writes of the work in one transaction. Nested calls join it. The work is synchronous. */
  transaction<Result>(work: () => Result): Result {
    return this.database.transaction(work);
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  /** @param loss of a database that has to be created */
  private static openWith(options: WalletDbOptions, loss: DatabaseLoss | undefined): WalletDb {
    const file = walletDbName(options.walletFile);
    const sealer = new RowSealer(options.privateViewKey);
    checkFiles(file, sealer);
    let database: SqliteDatabase | undefined;
    try {
      database = openDatabase(databaseOptions(file, sealer, { since: options.now, loss }));
      checkContent(file, database, sealer);
      return new WalletDb(new SealedDatabase(database, sealer), options);
    } catch (error) {
      // Its lock would keep the wallet closed for as long as the program runs.
      database?.close();
      throw isDamage(error) ? new WalletDbDamaged(file, errorText(error), { cause: error }) : error;
    }
  }

  /** Compares with what the container expects. @returns whether the log continues the container */
  private continues(expected: WalletDbMark | undefined, now: number): boolean {
    const { database, position } = this.mark;
    if (expected === undefined) return false;
    const isNamed = expected.database === database;
    if (isNamed && position >= expected.position) return true;
    this.transaction(() => {
      this.log.restart(Math.max(position, expected.position));
      const loss = isNamed ? 'outdated' : (this.identity.loss ?? 'missing');
      this.setIdentity({ ...this.identity, since: now, loss, isLossAcknowledged: false });
    });
    return false;
  }

  private setIdentity(identity: WalletDbIdentity): void {
    this.transaction(() => this.#identities.put(IDENTITY, identity));
  }
}

/** Before SQLite opens the file, which may change it. */
function checkFiles(file: string, sealer: RowSealer): void {
  for (const suffix of FILE_SUFFIXES) {
    // To open a pipe would wait for its other end.
    if (statSync(file + suffix, { throwIfNoEntry: false })?.isFile() === false) {
      throw new WalletDbDamaged(file, `${file}${suffix} is no regular file`);
    }
  }
  if (existsSync(file)) {
    if (isForeignDatabaseFile(file, sealer)) throw new ForeignWalletDb(file);
  } else {
    // Only the owner may read it. SQLite gives the files beside it the same permissions.
    closeSync(openSync(file, 'wx', 0o600));
  }
}

function databaseOptions(
  file: string,
  sealer: RowSealer,
  first: Pick<WalletDbIdentity, 'since' | 'loss'>,
): DatabaseOptions {
  const create = (connection: SqliteConnection): void =>
    void connection.exec(WALLET_DB_TABLES.map(sealedTableSchema).join('\n'));
  return {
    file,
    title: TITLE,
    applicationId: WALLET_DB_APPLICATION_ID,
    mode: 'write',
    markLog: true,
    migrations: [{ version: 1, name: 'wallet database', up: create }],
    onCreate: (connection) => {
      const identity = { ...first, database: randomBytes(16).toString('hex'), isLossAcknowledged: false };
      SealedDatabase.initialize(connection, sealer, IDENTITY, identity);
    },
  };
}

/** @throws ForeignWalletDb, WalletDbDamaged */
function checkContent(file: string, { connection }: SqliteDatabase, sealer: RowSealer): void {
  if (isForeign(connection, sealer)) throw new ForeignWalletDb(file);
  for (const table of MONEY_TABLES) {
    const [result] = connection.pragma(`integrity_check(${table})`) as { integrity_check: string }[];
    if (result?.integrity_check !== 'ok') throw new WalletDbDamaged(file, `table ${table}: ${result?.integrity_check}`);
  }
}

/** A missing table or column is SQLITE_ERROR, since the statements never change. */
function isDamage(error: unknown): boolean {
  if (/^SQLITE_(ERROR|CORRUPT|NOTADB)/.test(sqliteFailure(error)?.code ?? '')) return true;
  return [NotOurFile, WrongLog, FileCutShort, DamagedSealedRow].some((type) => error instanceof type);
}
