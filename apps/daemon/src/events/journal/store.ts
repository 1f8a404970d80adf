import type { SqliteConnection, SqliteDatabase, SqliteStatement } from '@wrkz/sqlite';
import { followedChecksum, DamagedJournal, entryChecksum } from './checksums';
import type { Told } from './entry-body';
import { readState } from './reading';
import { putState, topicNumber } from './schema';
import type { JournalState } from './state';

/** A block of the main chain. */
export interface ChainPosition {
  readonly height: number;
  readonly hash: Buffer;
}

/**
 * Blocks below the last one told of whose hashes are remembered: how far back a turn of the chain that happened without
 * the journal can be followed. It lies well above every depth that a rewind or a reorganisation may have.
 */
export const REMEMBERED_BLOCKS = 20_000;

/** The journal as its one writer sees it. Everything is changed inside `commit`. */
export class JournalStore {
  private readonly connection: SqliteConnection;
  private readonly insert: SqliteStatement;
  private readonly top: SqliteStatement<[], [height: number, hash: Buffer, checksum: number]>;
  private readonly at: SqliteStatement<[number], [hash: Buffer, checksum: number]>;
  private readonly putBlock: SqliteStatement;
  private readonly cutAbove: SqliteStatement<[number]>;
  private readonly cutBelow: SqliteStatement<[number]>;
  private current: JournalState;

  constructor(private readonly database: SqliteDatabase) {
    const { connection } = database;
    this.connection = connection;
    this.insert = connection.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?)');
    this.top = connection
      .prepare<[], [number, Buffer, number]>(
        'SELECT height, hash, checksum FROM main_chain ORDER BY height DESC LIMIT 1',
      )
      .raw(true);
    this.at = connection
      .prepare<[number], [Buffer, number]>('SELECT hash, checksum FROM main_chain WHERE height = ?')
      .raw(true);
    this.putBlock = connection.prepare('INSERT OR REPLACE INTO main_chain VALUES (?, ?, ?)');
    this.cutAbove = connection.prepare<[number]>('DELETE FROM main_chain WHERE height > ?');
    this.cutBelow = connection.prepare<[number]>('DELETE FROM main_chain WHERE height < ?');
    this.current = readState(connection);
  }

  get state(): JournalState {
    return this.current;
  }

  /** Runs `work` as one transaction, which is on disk when this returns. @throws FileVanished when the file is gone */
  commit<T>(work: () => T): T {
    this.database.checkInPlace();
    const before = this.current;
    let result: T;
    try {
      result = this.connection
        .transaction(() => {
          const done = work();
          if (this.current !== before) putState(this.connection, this.current);
          return done;
        })
        .immediate();
    } catch (error) {
      this.current = before;
      throw error;
    }
    this.database.committed();
    return result;
  }

  /** @param time Unix milliseconds */
  append([topic, body]: Told, time: number): void {
    const number = this.current.last + 1;
    const text = JSON.stringify(body);
    const kind = topicNumber(topic);
    this.insert.run(number, kind, time, text, entryChecksum(number, kind, time, text));
    this.current = { ...this.current, last: number };
  }

  /** Leaves numbers out: the next one is above `least`. */
  skipTo(least: number): void {
    const { last } = this.current;
    if (least <= last) return;
    this.connection.prepare('INSERT INTO sessions VALUES (?, ?)').run(least, last);
    this.current = { ...this.current, last: least };
  }

  /** What stands up to this number is no longer given. */
  keepAfter(number: number): void {
    this.current = { ...this.current, keptAfter: Math.max(number, this.current.keptAfter) };
    this.connection.prepare('DELETE FROM sessions WHERE first <= ?').run(this.current.keptAfter);
  }

  /** The block of the main chain that was told of last; undefined while the journal has not begun. @throws DamagedJournal */
  position(): ChainPosition | undefined {
    const row = this.top.get();
    if (row === undefined) return undefined;
    const [height, hash, checksum] = row;
    return { height, hash: checkedHash(height, hash, checksum) };
  }

  /** What the journal has for this height of the main chain, as far as it is remembered. @throws DamagedJournal */
  hashAt(height: number): Buffer | undefined {
    const row = this.at.get(height);
    return row && checkedHash(height, ...row);
  }

  /** The lowest height that is remembered. */
  lowest(): number | undefined {
    return this.connection.prepare<[], [number | null]>('SELECT min(height) FROM main_chain').raw(true).get()?.[0] as
      number | undefined;
  }

  /** The main chain goes on with this block. */
  extend({ height, hash }: ChainPosition): void {
    this.putBlock.run(height, hash, followedChecksum(height, hash));
    this.cutBelow.run(height - REMEMBERED_BLOCKS);
  }

  /** The main chain ends at this block. */
  cutTo(root: ChainPosition): void {
    this.cutAbove.run(root.height);
    this.extend(root);
  }

  /** The journal follows no chain any more, as if it had not begun. */
  forgetChain(): void {
    this.connection.exec('DELETE FROM main_chain');
  }

  /** @returns false when it was told of already */
  enterPool(hash: Buffer): boolean {
    return this.connection.prepare('INSERT OR IGNORE INTO pool VALUES (?)').run(hash).changes > 0;
  }

  /** @returns those that were told of as waiting */
  leavePool(hashes: readonly Buffer[]): Buffer[] {
    const remove = this.connection.prepare('DELETE FROM pool WHERE hash = ?');
    return hashes.filter((hash) => remove.run(hash).changes > 0);
  }

  pool(): Buffer[] {
    return this.connection
      .prepare<[], [Buffer]>('SELECT hash FROM pool')
      .raw(true)
      .all()
      .map(([hash]) => hash);
  }

  close(): void {
    this.database.close();
  }
}

function checkedHash(height: number, hash: Buffer, checksum: number): Buffer {
  if (followedChecksum(height, hash) !== checksum)
    throw new DamagedJournal(`block ${height} of the journal is damaged`);
  return hash;
}
