import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { runInSlices } from '@wrkz/service-kit/base';
import { isIrregularFile } from '../container/file-io';
import {
  accessError,
  backupDatabase,
  failureText,
  IncompleteFiles,
  integrityFinding,
  isDamage,
  NotOurFile,
  openDatabase,
  type DatabaseOptions,
  type SqliteConnection,
  type SqliteDatabase,
  sqliteFailure,
} from '@wrkz/sqlite';
import {
  type DatabaseLoss,
  IDENTITY,
  isForeign,
  isForeignDatabaseFile,
  type WalletDbIdentity,
  type WalletDbMark,
} from './identity';
import { EventTable, LedgerLog } from './logs';
import { NotifiedTable, SpendingTable, type StoredDetails } from './records';
import { RequestTable } from './requests';
import { RowSealer } from './seal';
import { type DatabaseState, rawDependencies, SealedDatabase, STATE } from './sealed-database';
import { DamagedSealedRow, SealedTable, sealedTableSchema } from './sealed-table';
import { DelayedTable, PreparedTable, RetiredTable, SendTable, type StoredRing } from './sends';

const APPLICATION_ID = 0x57_4b_57_44;

const TITLE = 'wallet database';

/** The identity table is created first, so that `isForeignDatabaseFile` finds it in the first pages. */
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
/** Tables that are not verified at every open: they can be large, and their loss cannot cause a double payment. */
const OTHER_TABLES = ['retired', 'details', 'events', 'notified', 'labels'];
const ALL_TABLES = [...MONEY_TABLES, ...OTHER_TABLES];

/** Suffixes of the database file and of the files that SQLite and `@wrkz/sqlite` create beside it. */
export const FILE_SUFFIXES = ['', '-wal', '-shm', '-journal', '-control', '-control.new'];

export interface WalletDbOptions {
  /** Path of the container. */
  readonly walletFile: string;
  /** 64 hex characters. */
  readonly privateViewKey: string;
  /** The mark in the container (`walletDbMarkOf`). */
  readonly expected: WalletDbMark | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** A text that the operator stores for an address or a transaction hash. */
export interface Label {
  /** The address or hash. */
  readonly subject: string;
  readonly text: string;
}

/** The database file belongs to another wallet. The file is unchanged. */
export class ForeignWalletDb extends Error {
  override readonly name = 'ForeignWalletDb';

  constructor(readonly file: string) {
    super(`${file} is the database of another wallet. Move it away, or put the right one in its place.`);
  }
}

/** The database is unusable. The operator restores a backup or creates a new database (`WalletDb.replaceDamaged`). */
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
 * The SQLite database beside a container. It stores the changes since the last write of the container
 * (docs/protocol/wallet.md#wallet-database). Each writing call is a transaction, or joins the enclosing `transaction`, and is
 * durable when it returns. The caller holds the lock of the container.
 *
 * Two kinds of damage: If the file cannot be opened, `open` throws WalletDbDamaged and leaves the file in place: the wallet
 * runs read-only without a database until the operator calls `replaceDamaged`. If a row is damaged, reading it throws
 * DamagedSealedRow and sets `damage`, which persists: the wallet refuses to send until the operator calls `dropDamagedRows`.
 * Both calls set `identity.loss` to 'damaged'.
 */
export class WalletDb {
  readonly sends;
  readonly requests;
  /** Rings by the key image of their input. */
  readonly rings;
  readonly prepared;
  readonly delayed;
  readonly retired;
  /** Details of transactions by hash. */
  readonly details;
  readonly log;
  readonly events;
  readonly spending;
  readonly notified;
  readonly labels;
  /** Small values by name, such as a pause of sends with its reason. */
  readonly settings;
  /**
   * Whether the container has the mark of this database, so that the log continues it. If not, the caller writes the
   * container with `mark` before it appends to the log.
   */
  readonly isNamedByContainer: boolean;
  private readonly identities;

  private constructor(
    private readonly database: SealedDatabase,
    { expected, now }: WalletDbOptions,
  ) {
    this.sends = new SendTable(database);
    this.requests = new RequestTable(database);
    this.rings = database.table<StoredRing>('rings');
    this.prepared = new PreparedTable('prepared', database);
    this.delayed = new DelayedTable(database);
    this.retired = new RetiredTable('retired', database);
    this.details = database.table<StoredDetails>('details');
    this.log = new LedgerLog(database);
    this.events = new EventTable(database);
    this.spending = new SpendingTable(database);
    this.notified = new NotifiedTable('notified', database);
    this.labels = database.table<Label>('labels');
    this.settings = database.table<unknown>('settings');
    this.identities = database.table<WalletDbIdentity>(IDENTITY);
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

  /** Deletes the closed database of a wallet whose creation failed. Its random keys would make it foreign to a repeated creation. */
  static delete(walletFile: string): void {
    for (const suffix of FILE_SUFFIXES) rmSync(walletDbName(walletFile) + suffix, { force: true });
  }

  /** Renames the closed, damaged database to `<file>.<milliseconds>.damaged` and creates a new one. */
  static replaceDamaged(options: WalletDbOptions): WalletDb {
    const file = walletDbName(options.walletFile);
    for (const suffix of FILE_SUFFIXES) {
      const path = file + suffix;
      if (existsSync(path) || isIrregularFile(path)) renameSync(path, `${file}.${options.now}.damaged${suffix}`);
    }
    return WalletDb.openWith(options, 'damaged');
  }

  get identity(): WalletDbIdentity {
    const identity = this.identities.get(IDENTITY);
    if (identity === undefined) throw this.identities.damaged();
    return identity;
  }

  get mark(): WalletDbMark {
    return { database: this.identity.database, position: this.database.state.position };
  }

  /** The table with a damaged row; undefined again after `dropDamagedRows`. */
  get damage(): string | undefined {
    return this.database.state.damage;
  }

  /** Records that the database was restored from a backup, so that later changes are unknown. */
  noteRestored(now: number): void {
    this.setIdentity({ ...this.identity, since: now, loss: 'outdated', isLossAcknowledged: false });
  }

  /** Records that the operator resumes sends in spite of `identity.loss`. */
  acknowledgeLoss(): void {
    this.setIdentity({ ...this.identity, isLossAcknowledged: true });
  }

  /**
   * Deletes damaged rows, the ledger log, and all events before a gap, when the operator resumes sends. The caller first writes
   * the container, which then needs no log.
   */
  dropDamagedRows(now: number): void {
    this.transaction(() => {
      for (const table of ALL_TABLES) this.database.table(table).deleteDamaged();
      this.log.restart(this.database.state.position);
      this.events.dropUpToGap();
      this.database.update({ damage: undefined });
      this.setIdentity({ ...this.identity, since: now, loss: 'damaged', isLossAcknowledged: true });
    });
  }

  /** Runs synchronous work in one transaction. Nested calls join it. */
  transaction<Result>(work: () => Result): Result {
    return this.database.transaction(work);
  }

  /** @throws FileVanished when the file or its lock file was removed or replaced: the next open may not see later commits */
  checkInPlace(): void {
    this.database.checkInPlace();
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  /** @param loss recorded if the database is created */
  private static openWith(options: WalletDbOptions, loss: DatabaseLoss | undefined): WalletDb {
    const file = walletDbName(options.walletFile);
    const sealer = new RowSealer(options.privateViewKey);
    checkFiles(file, sealer);
    let database: SqliteDatabase | undefined;
    try {
      database = openDatabase(databaseOptions(file, sealer, { since: options.now, loss }));
      return new WalletDb(new SealedDatabase(database, sealer), options);
    } catch (error) {
      // Otherwise the file lock would prevent every later open.
      database?.close();
      throw isDamaged(error) ? new WalletDbDamaged(file, failureText(error), { cause: error }) : error;
    }
  }

  /** Compares with the mark of the container. @returns whether the log continues the container */
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
    this.transaction(() => this.identities.put(IDENTITY, identity));
  }
}

/** Checks before SQLite opens the file, because opening may change it. */
function checkFiles(file: string, sealer: RowSealer): void {
  for (const suffix of FILE_SUFFIXES) {
    if (isIrregularFile(file + suffix)) {
      throw new WalletDbDamaged(file, `${file}${suffix} is not a regular file`);
    }
  }
  if (existsSync(file)) {
    if (isForeignDatabaseFile(file, sealer)) throw new ForeignWalletDb(file);
  } else {
    // SQLite creates the files beside it with the same permissions.
    try {
      closeSync(openSync(file, 'wx', 0o600));
    } catch (error) {
      throw accessError({ file, title: TITLE }, error);
    }
  }
}

function databaseOptions(
  file: string,
  sealer: RowSealer,
  first: Pick<WalletDbIdentity, 'since' | 'loss'>,
): DatabaseOptions {
  const create = (connection: SqliteConnection): void =>
    void connection.exec(ALL_TABLES.map(sealedTableSchema).join(''));
  return {
    file,
    title: TITLE,
    applicationId: APPLICATION_ID,
    mode: 'write',
    migrations: [create],
    identify: (connection) => checkContent(file, connection, sealer),
    onCreate: (connection) => {
      const identity = { ...first, database: randomBytes(16).toString('hex'), isLossAcknowledged: false };
      SealedDatabase.initialize(connection, sealer, IDENTITY, identity);
    },
  };
}

/** Verifies the content before the file is changed. @throws ForeignWalletDb, WalletDbDamaged, DamagedSealedRow */
function checkContent(file: string, connection: SqliteConnection, sealer: RowSealer): void {
  if (isForeign(connection, sealer)) throw new ForeignWalletDb(file);
  for (const table of MONEY_TABLES) {
    const finding = integrityFinding(connection, table);
    if (finding !== undefined) throw new WalletDbDamaged(file, `table ${table}: ${finding}`);
  }
  for (const name of [IDENTITY, STATE]) {
    const table = new SealedTable(name, rawDependencies(connection, sealer));
    if (table.get(name) === undefined) throw table.damaged();
  }
}

/** Includes SQLITE_ERROR: the statements are constant, so it means a missing table or column. */
function isDamaged(error: unknown): boolean {
  if (isDamage(error) || sqliteFailure(error)?.code.startsWith('SQLITE_ERROR') === true) return true;
  return [NotOurFile, IncompleteFiles, DamagedSealedRow].some((type) => error instanceof type);
}

/**
 * Copies the open database of a container and authenticates every row of the copy.
 * @param expected the mark of the copied container
 * @throws errors of `@wrkz/sqlite`; DamagedSealedRow; RangeError when the copy does not continue the container
 */
export function backupWalletDb(
  walletFile: string,
  to: string,
  privateViewKey: string,
  expected: WalletDbMark | undefined,
): Promise<void> {
  return backupDatabase({
    ...{ file: walletDbName(walletFile), to, title: TITLE, applicationId: APPLICATION_ID },
    check: async (connection) => {
      const dependencies = rawDependencies(connection, new RowSealer(privateViewKey));
      const table = <Row>(name: string): SealedTable<Row> => new SealedTable<Row>(name, dependencies);
      for (const name of ALL_TABLES) await runInSlices(table(name).verifying());
      const database = table<WalletDbIdentity>(IDENTITY).get(IDENTITY)?.database;
      const { position, logFloor } = table<DatabaseState>(STATE).get(STATE) as DatabaseState;
      const isOfContainer = expected !== undefined && database === expected.database;
      // A save of the container during the copy may have truncated log entries that the copied container needs.
      if (!isOfContainer || position < expected.position || logFloor > expected.position) {
        throw new RangeError('the copied database does not continue the copied container');
      }
    },
  });
}
