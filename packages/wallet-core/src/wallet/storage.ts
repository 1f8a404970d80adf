import { rmSync } from 'node:fs';
import { FileLocked, sqliteFailure, SqliteFileError, WrongSchemaVersion } from '@wrkz/sqlite';
import { EventLoopYielder, runInSlices } from '@wrkz/service-kit/base';
import type { ContainerConversion } from '../container/green/convert';
import { WalletFile } from '../container/wallet-file';
import { walletError, walletErrorOf, writeFailure } from '../errors';
import { Ledger } from '../ledger/ledger';
import { LedgerFault, type WalletContent } from '../ledger/model';
import { walletBalance } from '../ledger/queries';
import { walletDbMarkOf, withWalletDbMark } from '../wallet-db/identity';
import { DamagedSealedRow } from '../wallet-db/sealed-table';
import { ForeignWalletDb, WalletDb, WalletDbDamaged, type WalletDbOptions } from '../wallet-db/wallet-db';
import { backupWallet, isRestored, restoredMarker } from './backup';

/** How often a container with changes is written in the background, in milliseconds. */
const SAVE_INTERVAL_MS = 600_000;
/** How long a close waits for the container; the wallet database has what it could not write. */
const CLOSE_LIMIT_MS = 8_000;
const SUMMARY = 'container';

/** What the last container written by this program held, to report what another program changed. */
interface Summary {
  readonly height: number;
  readonly transactions: number;
  readonly balance: bigint;
}

export interface OpenedStorage {
  readonly storage: WalletStorage;
  readonly ledger: Ledger;
  /** Defined when the container had the old format. */
  readonly converted: ContainerConversion | undefined;
  /** What another program changed in the container, or what of the log could not be applied. */
  readonly containerChange: string | undefined;
}

export interface StorageOptions {
  readonly file: string;
  readonly password: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Reports a failed background save. */
  readonly warn: (text: string) => void;
}

/**
 * The files of a wallet: the container of the C++ format, and the wallet database beside it. Each change is one transaction
 * in the database; the container is written now and then. Opening applies the logged changes to the container
 * (docs/protocol/wallet.md#wallet-database).
 */
export class WalletStorage {
  /** The damage that keeps the database from being opened. */
  private damageText: string | undefined;
  private openDb: WalletDb | undefined;
  private ledger: Ledger | undefined;
  /** Position of the database that the container on disk, and the one before it, have. */
  private savedPosition = 0;
  /** Number of saves that were requested. */
  private saves = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly walletFile: WalletFile,
    private readonly dbOptions: WalletDbOptions,
    private readonly options: StorageOptions,
  ) {}

  /** @throws WalletError */
  static async open(options: StorageOptions): Promise<OpenedStorage> {
    const { walletFile, content, converted } = await WalletFile.open(options.file, options.password);
    return WalletStorage.begin(walletFile, content, converted, options);
  }

  /** @param content is called once the file name has proved to be usable @throws WalletError */
  static async create(
    options: StorageOptions,
    content: () => WalletContent | Promise<WalletContent>,
  ): Promise<OpenedStorage> {
    const created = await WalletFile.create(options.file, options.password, async () => {
      const first = await content();
      // Before the container is written: a refusal leaves no file.
      WalletDb.checkNotForeign(options.file, first.privateViewKey);
      return first;
    }).catch((error: unknown) => {
      throw storageError(error);
    });
    return WalletStorage.begin(created.walletFile, created.content, undefined, options);
  }

  private static async begin(
    walletFile: WalletFile,
    content: WalletContent,
    converted: ContainerConversion | undefined,
    options: StorageOptions,
  ): Promise<OpenedStorage> {
    const dbOptions = {
      walletFile: walletFile.file,
      privateViewKey: content.privateViewKey,
      expected: walletDbMarkOf(content),
      now: options.now(),
    };
    const storage = new WalletStorage(walletFile, dbOptions, options);
    try {
      const { ledger, containerChange } = await storage.load(content);
      storage.timer = setInterval(() => storage.saveInBackground(), SAVE_INTERVAL_MS).unref();
      return { storage, ledger, converted, containerChange };
    } catch (error) {
      storage.openDb?.close();
      await walletFile.close();
      throw storageError(error);
    }
  }

  /** @throws WalletError walletDatabaseDamaged while there is none */
  get db(): WalletDb {
    if (this.openDb === undefined) throw walletError.walletDatabaseDamaged(this.damageText ?? 'it was closed');
    return this.openDb;
  }

  /** @throws WalletError walletDatabaseDamaged while nothing can be stored */
  requireUndamaged(): void {
    const { damage } = this.db;
    if (damage !== undefined) throw walletError.walletDatabaseDamaged(`table ${damage}`);
  }

  /** The database, or undefined while it is damaged. */
  get dbIfUsable(): WalletDb | undefined {
    return this.openDb;
  }

  /** Why sends must wait for the operator: damage, or a database that does not have everything. */
  get damage(): string | undefined {
    if (this.openDb === undefined) return this.damageText;
    const { damage, identity } = this.openDb;
    if (damage !== undefined) return `table ${damage} of the wallet database is damaged`;
    if (identity.loss === undefined || identity.isLossAcknowledged) return undefined;
    return (
      `the wallet database was ${identity.loss}, so that idempotency keys and pending transactions of the time before ` +
      'may be missing'
    );
  }

  /** The operator continues despite the damage. A database that cannot be opened is moved aside and created again. */
  async acknowledgeDamage(): Promise<void> {
    if (this.openDb === undefined) {
      this.openDb = WalletDb.replaceDamaged({ ...this.dbOptions, now: this.options.now() });
      this.openDb.acknowledgeLoss();
      this.damageText = undefined;
      await this.save();
      return;
    }
    if (this.openDb.damage !== undefined) {
      await this.writeContainer((content) => this.walletFile.save(content));
      this.openDb.dropDamagedRows(this.options.now());
    } else this.openDb.acknowledgeLoss();
  }

  /**
   * Stores the queued changes of the ledger and the writes of `work` in one transaction. When this returns they survive a
   * power loss; when it throws nothing is stored and the changes stay queued.
   * @throws WalletError invalidWalletFilename for a full or failing disk; what `work` throws
   */
  commit(work: () => void = () => undefined): void {
    const db = this.openDb;
    const ledger = this.ledger;
    if (ledger === undefined) return;
    // Without a database nothing is stored: the container stays as it is until the operator decides.
    if (db === undefined) return;
    const taken = ledger.takeChanges();
    try {
      db.transaction(() => {
        for (const change of taken.changes) db.log.append(change);
        for (const retired of taken.retired) db.retired.put(retired.output.key, retired);
        if (taken.changes.length > 0) db.log.putProgress({ appliedHeight: ledger.appliedHeight });
        work();
      });
    } catch (error) {
      ledger.putBack(taken);
      throw storageError(error);
    }
  }

  /**
   * Writes the container with everything up to now. While the database is damaged the container stays as it is.
   * @throws WalletError invalidWalletFilename, walletDatabaseDamaged
   */
  async save(): Promise<void> {
    this.requireUndamaged();
    await this.writeContainer((content) => this.walletFile.save(content));
  }

  /**
   * Saves, and copies container and database; both copies are verified.
   * @param exclusively runs the part during which nothing else may write the container
   * @throws WalletError
   */
  backup(to: string, exclusively: (task: () => Promise<void>) => Promise<void>): Promise<void> {
    return backupWallet(this.walletFile, to, (copy) =>
      exclusively(async () => {
        await this.save();
        await copy();
      }),
    );
  }

  /** Writes the container under another password. @throws WalletError invalidWalletFilename */
  changePassword(password: string): Promise<void> {
    return this.writeContainer((content) => this.walletFile.changePassword(password, content));
  }

  isPassword(password: string): boolean {
    return this.walletFile.isPassword(password);
  }

  /** Saves, unless that takes too long, and releases both files. @throws WalletError when it cannot be saved */
  async close(): Promise<void> {
    clearInterval(this.timer);
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (limit = setTimeout(() => resolve('late'), CLOSE_LIMIT_MS)));
    let isLate = false;
    try {
      if (this.openDb !== undefined && this.openDb.damage === undefined && this.isChanged) {
        const saved = this.save();
        saved.catch(() => undefined);
        isLate = (await Promise.race([saved, late])) === 'late';
      }
    } finally {
      clearTimeout(limit);
      this.openDb?.close();
      this.openDb = undefined;
      const closed = this.walletFile.close();
      // A late save continues, and the lock is released after it.
      if (isLate) closed.catch(() => undefined);
      else await closed;
    }
  }

  private async load(content: WalletContent): Promise<{ ledger: Ledger; containerChange: string | undefined }> {
    try {
      this.openDb = WalletDb.open(this.dbOptions);
    } catch (error) {
      if (!(error instanceof WalletDbDamaged)) throw error;
      this.damageText = error.reason;
    }
    const db = this.openDb;
    const { file } = this.walletFile;
    if (db !== undefined && isRestored(file)) {
      db.noteRestored(this.options.now());
      rmSync(restoredMarker(file));
    }
    const newLedger = (): Promise<Ledger> =>
      runInSlices(Ledger.loading(content, (height) => this.openDb?.retired.from(height) ?? []));
    let ledger = await newLedger();
    let containerChange: string | undefined;
    if (db !== undefined) {
      const problem = db.isNamedByContainer ? await replayLog(db, ledger, this.dbOptions.expected?.position ?? 0) : '';
      if (problem === undefined) {
        const progress = db.log.progress();
        if (progress !== undefined) ledger.appliedHeight = progress.appliedHeight;
      } else {
        if (problem !== '') ledger = await newLedger();
        containerChange = describeChange(db.settings.get(SUMMARY) as Summary | undefined, ledger, problem);
        db.log.restart(db.mark.position);
      }
    }
    this.ledger = ledger;
    this.savedPosition = this.dbOptions.expected?.position ?? 0;
    // The container has to name the database before the log continues it.
    const isContinued = db?.isNamedByContainer === true && containerChange === undefined;
    if (db !== undefined && !isContinued && db.damage === undefined) await this.save();
    return { ledger, containerChange };
  }

  private async writeContainer(write: (content: WalletContent) => Promise<void>): Promise<void> {
    this.commit();
    const { db } = this;
    const ledger = this.ledger;
    if (ledger === undefined) return;
    const { mark } = db;
    const content = ledger.storedContent();
    const save = ++this.saves;
    try {
      await write(withWalletDbMark(content, mark));
    } catch (error) {
      throw storageError(error);
    }
    // The newest of several concurrent saves says which containers are on disk: older ones may have been combined with it.
    if (this.openDb !== db || save !== this.saves) return;
    // The container before this one is kept on disk, and needs the log from its own position on.
    db.transaction(() => {
      db.log.truncate(this.savedPosition);
      db.settings.put(SUMMARY, summaryOf(content));
    });
    this.savedPosition = mark.position;
  }

  /** Whether the container on disk lacks something. */
  private get isChanged(): boolean {
    return this.ledger?.hasChanges === true || (this.openDb?.mark.position ?? 0) > this.savedPosition;
  }

  private saveInBackground(): void {
    if (this.openDb === undefined || this.openDb.damage !== undefined) return;
    if (!this.isChanged) return;
    this.save().catch((error: unknown) => {
      this.options.warn(
        `the container could not be written (the wallet database has everything): ${writeFailure(error)}`,
      );
    });
  }
}

/**
 * Applies the logged changes after a position.
 * @returns undefined, or why the log does not continue this container
 */
async function replayLog(db: WalletDb, ledger: Ledger, position: number): Promise<string | undefined> {
  const yielder = new EventLoopYielder();
  try {
    for (const { change } of db.log.after(position)) {
      ledger.replay(change);
      if (yielder.isDue) await yielder.yieldIfDue();
    }
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'it is older than the log of the wallet database';
    if (error instanceof LedgerFault || error instanceof DamagedSealedRow) {
      return `the log of the wallet database could not be applied: ${error.message}`;
    }
    throw error;
  }
}

function summaryOf(content: WalletContent): Summary {
  const { unlocked, locked } = walletBalance(content, { height: content.progress.height, timestamp: 0 });
  return {
    height: content.progress.height,
    transactions: content.transactions.length,
    balance: unlocked + locked,
  };
}

/** @returns undefined for a container that was never saved by this program */
function describeChange(before: Summary | undefined, ledger: Ledger, problem: string): string | undefined {
  if (before === undefined) return undefined;
  const { height, transactions, balance } = summaryOf(ledger.content());
  const cause = problem === '' ? 'another program wrote the container, or an older copy was put in its place' : problem;
  return (
    `${cause}; its content was taken over: height ${before.height} -> ${height}, transactions ` +
    `${before.transactions} -> ${transactions}, balance ${before.balance} -> ${balance}`
  );
}

/** The wallet error for a failure of the wallet database or of SQLite; any other error is returned as it is. */
export function storageError(error: unknown): unknown {
  if (error instanceof ForeignWalletDb) return walletErrorOf('walletDatabaseForeign', error.message);
  if (error instanceof DamagedSealedRow) return walletError.walletDatabaseDamaged(error.message);
  if (!(error instanceof SqliteFileError) && sqliteFailure(error) === undefined) return error;
  const options = { cause: error };
  if (error instanceof FileLocked) return walletErrorOf('walletFileInUse', undefined, options);
  if (!(error instanceof WrongSchemaVersion)) return walletErrorOf('invalidWalletFilename', undefined, options);
  return walletErrorOf('unsupportedWalletFileFormatVersion', undefined, options);
}
