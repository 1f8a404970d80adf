import { closeSync, existsSync, openSync, renameSync } from 'node:fs';
import {
  FileCutShort,
  NotOurFile,
  openDatabase,
  type SqliteConnection,
  sqliteFailure,
  type SqliteDatabase,
  WrongLog,
} from '@wrkz/sqlite';
import { isSomethingElse } from '../container/file-io';
import { AnsweredRequests } from './answered-requests';
import { DelayedTransactions } from './delayed-transactions';
import { KeySpending } from './key-spending';
import type { SideFileMark } from './mark';
import { type MemoryLoss, readIdentity, type SideFileIdentity, sideFileOptions } from './schema';
import { ToldTransactions } from './told-transactions';
import { TransactionExtras } from './transaction-extras';
import { markOutdated, writesOf } from './writes';

export interface SideFileOptions {
  /** The container; the side file stands beside it. */
  readonly walletFile: string;
  /** Public view key of the wallet, hex. */
  readonly wallet: string;
  /** What the container says (`sideFileOf`). */
  readonly expected: SideFileMark | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Where the side file of a container stands. */
export const sideFileName = (walletFile: string): string => `${walletFile}.side`;

/** All tables with the columns that are asked for: a changed byte of the schema makes others of them. */
const COLUMNS = {
  identity: 'side_file, wallet, since, lost',
  answers: 'owner, key, body_hash, begun, status, body',
  leaving: 'place, owner, key, hash, sealed',
  spending: 'name, day, amount',
  delayed: 'hash, created, state, transaction_bytes, intent',
  writes: 'count',
  extras: 'hash, extra, details',
  told: 'hash, stage',
};

/** Not the extras and what was told, which may be many and guard nothing. */
const GUARDING = Object.keys(COLUMNS).filter((table) => table !== 'extras' && table !== 'told');

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
   * lives. An older copy of the one that the container names goes on with what it knows, and says so too. The caller holds the lock of the container.
   *
   * @throws FileLocked, FileInaccessible, WrongSchemaVersion
   */
  static open(options: SideFileOptions): SideFile {
    const file = sideFileName(options.walletFile);
    const found = openFound(file, options);
    if (found instanceof SideFile) return found;
    if (found !== undefined) setAside(file, options.now);
    const lost = found ?? (options.expected === undefined ? undefined : 'missing');
    return SideFile.at(file, options, lost);
  }

  /** For the container, which is saved after it was written and before anything leaves. */
  get mark(): SideFileMark {
    return { name: this.identity.sideFile, writes: writesOf(this.database.connection) };
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  /** Whether what keeps a payment from being made twice can be read: a page of it may be damaged. */
  isWhole(): boolean {
    try {
      for (const [table, columns] of Object.entries(COLUMNS)) {
        this.database.connection.prepare(`SELECT ${columns} FROM ${table}`);
      }
      return GUARDING.every((table) => {
        const [answer] = this.database.connection.pragma(`quick_check(${table})`) as { quick_check: string }[];
        return answer?.quick_check === 'ok';
      });
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** @param prepare done before anything is read */
  static at(
    file: string,
    { wallet, now }: SideFileOptions,
    lost: MemoryLoss | undefined,
    prepare: (connection: SqliteConnection) => void = () => undefined,
  ): SideFile {
    makePrivate(file);
    const database = openDatabase(sideFileOptions(file, { wallet, since: now, lost }));
    try {
      prepare(database.connection);
      return new SideFile(database, readIdentity(database.connection));
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

/** The side file that is there, or why it cannot be gone on with; undefined when there is none. */
function openFound(file: string, options: SideFileOptions): SideFile | MemoryLoss | undefined {
  if (BESIDE.some((ending) => isSomethingElse(file + ending))) return 'damaged';
  if (!existsSync(file)) return undefined;
  let sideFile: SideFile;
  try {
    sideFile = SideFile.at(file, options, undefined);
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
  try {
    const standing = sideFile.isWhole() ? standingOf(sideFile, options) : 'damaged';
    if (standing === 'ours') return sideFile;
    sideFile.close();
    if (standing !== 'outdated') return standing;
  } catch (error) {
    // Its lock would keep the wallet closed for as long as the program runs.
    sideFile.close();
    throw error;
  }
  const { expected, now } = options;
  return SideFile.at(file, options, undefined, (connection) => markOutdated(connection, expected?.writes ?? 0, now));
}

/** Whether it is the one that the container was saved beside. */
function standingOf({ identity, mark }: SideFile, { wallet, expected }: SideFileOptions): MemoryLoss | 'ours' {
  if (identity.wallet !== wallet) return 'foreign';
  if (expected === undefined) return 'ours';
  if (expected.name !== mark.name) return 'foreign';
  return mark.writes < expected.writes ? 'outdated' : 'ours';
}

/** What a wallet sent, and to whom, is its owner's alone. What SQLite puts beside a file has the permissions of that file. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there, or SQLite says why it cannot be.
  }
}

/** A table or column that is not there is SQLITE_ERROR: what is asked for never changes. */
function isDamage(error: unknown): boolean {
  const code = sqliteFailure(error)?.code;
  if (code === 'SQLITE_ERROR' || code?.startsWith('SQLITE_CORRUPT') === true) return true;
  return error instanceof NotOurFile || error instanceof WrongLog || error instanceof FileCutShort;
}

function setAside(file: string, now: number): void {
  for (const ending of BESIDE) {
    if (existsSync(file + ending)) renameSync(file + ending, `${file}.${now}.old${ending}`);
  }
}
