import { existsSync, rmSync } from 'node:fs';
import { FileLocked, sqliteFailure, SqliteFileError, WrongSchemaVersion } from '@wrkz/sqlite';
import { EventLoopYielder, runInSlices } from '@wrkz/service-kit/base';
import type { ContainerConversion } from '../container/green/convert';
import { WalletFile } from '../container/wallet-file';
import { isWalletError, walletError, walletErrorOf, writeFailure } from '../errors';
import { Ledger } from '../ledger/ledger';
import { LedgerFault, type WalletContent } from '../ledger/model';
import { walletBalance } from '../ledger/queries';
import { walletDbMarkOf, withWalletDbMark } from '../wallet-db/identity';
import { UncertainCommit } from '../wallet-db/sealed-database';
import { DamagedSealedRow } from '../wallet-db/sealed-table';
import { ForeignWalletDb, WalletDb, WalletDbDamaged, walletDbName, type WalletDbOptions } from '../wallet-db/wallet-db';
import { backupWallet, isRestored, restoredMarker } from './backup';

/** Interval of background saves of a changed container. */
const SAVE_INTERVAL_MS = 600_000;
/** Max wait of a close for the save of the container. Unsaved changes remain in the wallet database. */
const CLOSE_LIMIT_MS = 8_000;
const SUMMARY = 'container';
const ADDRESSES = 'addresses';

/** The addresses of the last commit, to notice that an older container lacks some. */
interface AddressCount {
  readonly count: number;
  /** The highest deterministic index in use. */
  readonly counter: number;
}

/** Summary of the last container written by this program, to report changes by another program. */
interface Summary {
  readonly height: number;
  readonly transactions: number;
  readonly balance: bigint;
}

/** Runs a commit, with the writes that belong to the queued changes of the ledger. If `commit` throws, nothing is stored. */
export type AroundCommit = (commit: (write: () => void) => void) => void;

export interface OpenedStorage {
  readonly storage: WalletStorage;
  readonly ledger: Ledger;
  /** Defined if the container was converted from the old format. */
  readonly converted: ContainerConversion | undefined;
  /** Description of changes by another program, or of a log that could not be applied; undefined if there are none. */
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
 * The files of a wallet: the container in the C++ format, and the wallet database beside it. Each change is one database
 * transaction; the container is written periodically. Opening applies the logged changes to the content of the container
 * (docs/protocol/wallet.md#wallet-database).
 */
export class WalletStorage {
  /** Why the database cannot be opened. */
  private damageText: string | undefined;
  private openDb: WalletDb | undefined;
  private ledger: Ledger | undefined;
  private around: AroundCommit = (commit) => commit(() => undefined);
  /** Database position up to which the container on disk includes all changes. */
  private savedPosition = 0;
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

  /**
   * After an error the files that it has created are deleted, so that it can be repeated.
   * @param content returns the content; called after the file name was checked @throws WalletError
   */
  static async create(
    options: StorageOptions,
    content: () => WalletContent | Promise<WalletContent>,
  ): Promise<OpenedStorage> {
    const created = await WalletFile.create(options.file, options.password, async () => {
      const first = await content();
      // Check before the container is written, so that an error leaves no file.
      WalletDb.checkNotForeign(options.file, first.privateViewKey);
      return first;
    }).catch((error: unknown) => {
      throw storageError(error);
    });
    const { walletFile, content: first } = created;
    // An earlier wallet with these keys has left its database.
    const hasDb = existsSync(walletDbName(walletFile.file));
    return WalletStorage.begin(walletFile, first, undefined, options, async () => {
      if (!hasDb) WalletDb.delete(walletFile.file);
      await walletFile.delete();
    });
  }

  private static async begin(
    walletFile: WalletFile,
    content: WalletContent,
    converted: ContainerConversion | undefined,
    options: StorageOptions,
    undo: () => Promise<void> = async () => undefined,
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
      await undo().catch(() => undefined);
      await walletFile.close();
      throw storageError(error);
    }
  }

  /** The database. @throws WalletError walletDatabaseDamaged when it is not open */
  get db(): WalletDb {
    if (this.openDb === undefined) throw walletError.walletDatabaseDamaged(this.damageText ?? 'it was closed');
    return this.openDb;
  }

  /** @throws WalletError walletDatabaseDamaged when the database is not open or has a damaged row */
  requireUndamaged(): void {
    const { damage } = this.db;
    if (damage !== undefined) throw walletError.walletDatabaseDamaged(`table ${damage}`);
  }

  /** The database; undefined when it is not open. */
  get dbIfUsable(): WalletDb | undefined {
    return this.openDb;
  }

  /** Why sends are paused until the operator resumes them: a damaged or incomplete database. */
  get damage(): string | undefined {
    if (this.openDb === undefined) return this.damageText;
    const { damage, identity } = this.openDb;
    if (damage !== undefined) return `table ${damage} of the wallet database is damaged`;
    if (identity.loss === undefined || identity.isLossAcknowledged) return undefined;
    return (
      `the wallet database was ${identity.loss}, so that earlier idempotency keys, pending transactions and addresses may ` +
      'be missing'
    );
  }

  /** Continues despite the damage, on the operator's command. A database that cannot be opened is renamed and replaced. */
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

  /** Called once, before the first commit. */
  attach(around: AroundCommit): void {
    this.around = around;
  }

  /**
   * Stores the queued changes of the ledger, the attached writes and the writes of `work` in one durable transaction. If it
   * throws, nothing is stored and the changes stay queued.
   * @throws WalletError invalidWalletFilename for a full or failing disk; errors of `work`
   */
  commit(work: () => void = () => undefined): void {
    const { openDb: db, ledger } = this;
    // Without a database nothing is stored, and the container is not changed until the operator resumes sends.
    if (ledger === undefined || db === undefined) return;
    this.around((write) => {
      const taken = ledger.takeChanges();
      try {
        db.transaction(() => {
          for (const change of taken.changes) db.log.append(change);
          for (const retired of taken.retired) db.retired.put(retired.output.key, retired);
          if (taken.changes.some(({ kind }) => kind === 'addSubWallet' || kind === 'removeSubWallet')) {
            db.settings.put(ADDRESSES, addressCountOf(ledger));
          }
          if (taken.changes.length > 0) db.log.putProgress({ appliedHeight: ledger.appliedHeight });
          write();
          work();
        });
      } catch (error) {
        ledger.putBack(taken);
        throw storageError(error);
      }
    });
  }

  /**
   * Writes the container with the current content. While the database is damaged, the container is not changed.
   * @throws WalletError invalidWalletFilename, walletDatabaseDamaged
   */
  async save(): Promise<void> {
    this.requireUndamaged();
    await this.writeContainer((content) => this.walletFile.save(content));
  }

  /**
   * Saves, copies container and database, and verifies both copies.
   * @param exclusively runs the part during which no other write of the container may happen
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

  /** Writes the container with another password. @throws WalletError invalidWalletFilename */
  changePassword(password: string): Promise<void> {
    return this.writeContainer((content) => this.walletFile.changePassword(password, content));
  }

  isPassword(password: string): boolean {
    return this.walletFile.isPassword(password);
  }

  /** Saves with a time limit, and releases both files. @throws WalletError when the save fails */
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
      // A save beyond the limit continues; the lock is released after it.
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
        const { count = 0, counter = 0 } = (db.settings.get(ADDRESSES) as AddressCount | undefined) ?? {};
        const found = addressCountOf(ledger);
        if (containerChange !== undefined) containerChange += `, addresses ${count} -> ${found.count}`;
        // The wallet would create the missing addresses again, as new ones. The C++ wallet of 2025 drops the counter.
        const isOlder = this.dbOptions.expected !== undefined && found.counter < counter;
        if (found.count < count || isOlder) db.noteRestored(this.options.now());
        db.log.restart(db.mark.position);
      }
    }
    this.ledger = ledger;
    this.savedPosition = this.dbOptions.expected?.position ?? 0;
    // The container must have the mark of the database before new log entries can continue it.
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
    // Only the newest of concurrent saves determines which containers are on disk, because older ones may be combined with it.
    if (this.openDb !== db || save !== this.saves) return;
    try {
      // The previous container is retained on disk and needs the log from its own position on.
      db.transaction(() => {
        db.log.truncate(this.savedPosition);
        db.settings.put(SUMMARY, summaryOf(content));
        // Addresses may have been created during the save.
        db.settings.put(ADDRESSES, addressCountOf(ledger));
      });
    } catch (error) {
      if (!isWalletError(storageError(error), 'invalidWalletFilename')) throw storageError(error);
      // The container is written: a new password is in force. A log that is too long does no harm; the next save truncates it.
    }
    this.savedPosition = mark.position;
  }

  /** Whether the container on disk is outdated. */
  private get isChanged(): boolean {
    return this.ledger?.hasChanges === true || (this.openDb?.mark.position ?? 0) > this.savedPosition;
  }

  private saveInBackground(): void {
    if (this.openDb === undefined || this.openDb.damage !== undefined) return;
    if (!this.isChanged) return;
    this.save().catch((error: unknown) => {
      this.options.warn(
        `the container could not be written (its changes are in the wallet database): ${writeFailure(error)}`,
      );
    });
  }
}

/**
 * Applies the logged changes after a position.
 * @returns undefined on success, or why the log does not continue this container
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
    if (error instanceof RangeError) return 'the container is older than the log of the wallet database';
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

function addressCountOf(ledger: Ledger): AddressCount {
  const { subWallets, subWalletIndexCounter } = ledger.content();
  return { count: subWallets.length, counter: subWalletIndexCounter };
}

/** @returns undefined for a container that was never saved by this program */
function describeChange(before: Summary | undefined, ledger: Ledger, problem: string): string | undefined {
  if (before === undefined) return undefined;
  const { height, transactions, balance } = summaryOf(ledger.content());
  const cause = problem === '' ? 'another program wrote the container, or it was replaced with an older copy' : problem;
  return (
    `${cause}; the content of the container is used: height ${before.height} -> ${height}, transactions ` +
    `${before.transactions} -> ${transactions}, balance ${before.balance} -> ${balance}`
  );
}

/** The wallet error for a failure of the wallet database or of SQLite. Other errors are returned unchanged. */
export function storageError(error: unknown): unknown {
  if (error instanceof ForeignWalletDb) return walletErrorOf('walletDatabaseForeign', error.message);
  if (error instanceof DamagedSealedRow) return walletError.walletDatabaseDamaged(error.message);
  const isOfFile = error instanceof SqliteFileError || error instanceof UncertainCommit;
  if (!isOfFile && sqliteFailure(error) === undefined) return error;
  const options = { cause: error };
  if (error instanceof FileLocked) return walletErrorOf('walletFileInUse', undefined, options);
  if (!(error instanceof WrongSchemaVersion)) return walletErrorOf('invalidWalletFilename', undefined, options);
  return walletErrorOf('unsupportedWalletFileFormatVersion', undefined, options);
}
