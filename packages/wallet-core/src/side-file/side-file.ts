import { existsSync, renameSync } from 'node:fs';
import { FileCutShort, NotOurFile, openDatabase, type SqliteDatabase, WrongLog } from '@wrkz/sqlite';
import { AnsweredRequests } from './answered-requests';
import { DelayedTransactions } from './delayed-transactions';
import { KeySpending } from './key-spending';
import { type MemoryLoss, readIdentity, type SideFileIdentity, sideFileOptions } from './schema';
import { ToldTransactions } from './told-transactions';
import { TransactionExtras } from './transaction-extras';

export interface SideFileOptions {
  /** The container; the side file stands beside it. */
  readonly walletFile: string;
  /** Public view key of the wallet, hex. */
  readonly wallet: string;
  /** What the container says (`sideFileOf`). */
  readonly expected: string | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Where the side file of a container stands. */
export const sideFileName = (walletFile: string): string => `${walletFile}.side`;

/** What SQLite puts beside a file. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/**
 * What the container's format has no place for (docs/protocol/wallet.md#side-file). Losing it loses no coins. What is written
 * is on disk when a call returns.
 */
export class SideFile {
  readonly answers: AnsweredRequests;
  readonly spending: KeySpending;
  readonly extras: TransactionExtras;
  readonly delayed: DelayedTransactions;
  readonly told: ToldTransactions;

  private constructor(
    private readonly database: SqliteDatabase,
    readonly identity: SideFileIdentity,
  ) {
    const { connection } = database;
    this.answers = new AnsweredRequests(connection);
    this.spending = new KeySpending(connection);
    this.extras = new TransactionExtras(connection);
    this.delayed = new DelayedTransactions(connection);
    this.told = new ToldTransactions(connection);
  }

  /**
   * Opens the side file or makes one. One that is damaged, or of another wallet, is set aside under another name, never
   * removed; then, and when the container names one that is not there, `identity.lost` says so, for as long as the new one
   * lives. The caller holds the lock of the container.
   *
   * @throws FileLocked, FileInaccessible, WrongSchemaVersion
   */
  static open(options: SideFileOptions): SideFile {
    const file = sideFileName(options.walletFile);
    const found = existsSync(file) ? openFound(file, options) : undefined;
    if (found instanceof SideFile) return found;
    if (found !== undefined) setAside(file, options.now);
    const lost = found ?? (options.expected === undefined ? undefined : 'missing');
    return SideFile.at(file, options, lost);
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  static at(file: string, { wallet, now }: SideFileOptions, lost: MemoryLoss | undefined): SideFile {
    const database = openDatabase(sideFileOptions(file, { wallet, since: now, lost }));
    try {
      return new SideFile(database, readIdentity(database.connection));
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

/** The side file that is there, or why it cannot be gone on with. */
function openFound(file: string, options: SideFileOptions): SideFile | MemoryLoss {
  let sideFile: SideFile;
  try {
    sideFile = SideFile.at(file, options, undefined);
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
  const { wallet, sideFile: name } = sideFile.identity;
  const isOurs = wallet === options.wallet && (options.expected === undefined || options.expected === name);
  if (isOurs) return sideFile;
  sideFile.close();
  return 'foreign';
}

function isDamage(error: unknown): boolean {
  return error instanceof NotOurFile || error instanceof WrongLog || error instanceof FileCutShort;
}

function setAside(file: string, now: number): void {
  for (const ending of BESIDE) {
    if (existsSync(file + ending)) renameSync(file + ending, `${file}.${now}.old${ending}`);
  }
}
