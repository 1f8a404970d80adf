import type { SqliteConnection, SqliteDatabase, SqliteStatement } from '@wrkz/sqlite';
import type { EntryContent } from './entry';
import { type JournalState, readState, topicNumber, writeState } from './schema';

/** A block of the main chain. */
export interface ChainPosition {
  readonly height: number;
  readonly hash: Buffer;
}

/**
 * Number of remembered block hashes: the max depth of a reorganisation that the journal can follow afterwards. The limits of
 * rewinds and reorganisations are much lower.
 */
export const REMEMBERED_BLOCKS = 20_000;

/** Write access to the journal, for its only writer. All changes are made within `commit`. */
export class JournalStore {
  private readonly connection: SqliteConnection;
  private readonly insert: SqliteStatement;
  private readonly top: SqliteStatement<[], [height: number, hash: Buffer]>;
  private readonly at: SqliteStatement<[number], [hash: Buffer]>;
  private readonly putBlock: SqliteStatement;
  private readonly deleteAbove: SqliteStatement<[number]>;
  private readonly deleteBelow: SqliteStatement<[number]>;
  private current: JournalState;

  constructor(private readonly database: SqliteDatabase) {
    const { connection } = database;
    this.connection = connection;
    this.insert = connection.prepare('INSERT INTO entries VALUES (?, ?, ?, ?)');
    this.top = connection
      .prepare<[], [number, Buffer]>('SELECT height, hash FROM main_chain ORDER BY height DESC LIMIT 1')
      .raw(true);
    this.at = connection.prepare<[number], [Buffer]>('SELECT hash FROM main_chain WHERE height = ?').raw(true);
    this.putBlock = connection.prepare('INSERT OR REPLACE INTO main_chain VALUES (?, ?)');
    this.deleteAbove = connection.prepare<[number]>('DELETE FROM main_chain WHERE height > ?');
    this.deleteBelow = connection.prepare<[number]>('DELETE FROM main_chain WHERE height < ?');
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
          const value = work();
          if (this.current !== before) writeState(this.connection, this.current);
          return value;
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
  append([topic, body]: EntryContent, time: number): void {
    const number = this.current.last + 1;
    this.insert.run(number, topicNumber(topic), time, JSON.stringify(body));
    this.current = { ...this.current, last: number };
  }

  /** Skips numbers: the next assigned one is above `min`. */
  skipTo(min: number): void {
    const { last } = this.current;
    if (min <= last) return;
    this.connection.prepare('INSERT INTO sessions VALUES (?, ?)').run(min, last);
    this.current = { ...this.current, last: min };
  }

  /** Hides the entries up to this number. `deleteDropped` deletes them later. */
  dropUpTo(number: number): void {
    this.current = { ...this.current, keptAfter: Math.max(number, this.current.keptAfter) };
    this.connection.prepare('DELETE FROM sessions WHERE first <= ?').run(this.current.keptAfter);
  }

  /** The last block of the journal; undefined before the first one. */
  position(): ChainPosition | undefined {
    const row = this.top.get();
    return row && { height: row[0], hash: row[1] };
  }

  /** The block hash at a height; undefined if it is not remembered. */
  hashAt(height: number): Buffer | undefined {
    return this.at.get(height)?.[0];
  }

  /** The lowest remembered height. */
  lowest(): number | undefined {
    return this.connection.prepare<[], [number | null]>('SELECT min(height) FROM main_chain').raw(true).get()?.[0] as
      number | undefined;
  }

  /** Sets the next block of the main chain. */
  extend({ height, hash }: ChainPosition): void {
    this.putBlock.run(height, hash);
    this.deleteBelow.run(height - REMEMBERED_BLOCKS);
  }

  /** Removes the blocks above `root`. */
  cutTo(root: ChainPosition): void {
    this.deleteAbove.run(root.height);
    this.extend(root);
  }

  /** Resets to an empty journal, for a chain that shares no remembered block with it. */
  restart(): void {
    this.connection.exec('DELETE FROM main_chain');
    this.dropUpTo(this.current.last);
  }

  /** @returns false if the transaction is already in `pool` */
  addPooled(hash: Buffer): boolean {
    return this.connection.prepare('INSERT OR IGNORE INTO pool VALUES (?)').run(hash).changes > 0;
  }

  /** @returns the hashes that were in `pool` */
  removePooled(hashes: readonly Buffer[]): Buffer[] {
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

/** Entries per deletion step, some milliseconds of work: writing has priority. */
export const ENTRIES_PER_STEP = 500;
/** Empty pages returned to the file system per deletion step. */
const PAGES_PER_STEP = 200;
const DAY_MS = 86_400_000;

/**
 * Deletes up to `ENTRIES_PER_STEP` of the oldest entries, up to the first that is younger than `days`. The system clock may be
 * wrong, now or when an entry was written. So the reference time is the newest block of the journal, or the clock if that is
 * earlier, and entries more than a day in the future are deleted together with the next old one.
 *
 * @param now Unix milliseconds
 * @returns whether there may be more to delete
 */
export function deleteOldEntries(
  store: JournalStore,
  connection: SqliteConnection,
  days: number,
  now: number,
): boolean {
  const present = Math.min(now, newestBlockTime(connection));
  const oldest = connection
    .prepare<[number, number], [number, number]>(
      'SELECT number, time FROM entries WHERE time <= ? ORDER BY number LIMIT ?',
    )
    .raw(true)
    .all(present + DAY_MS, ENTRIES_PER_STEP);
  const retained = oldest.findIndex(([, time]) => time >= present - days * DAY_MS);
  const [last] = (retained < 0 ? oldest : oldest.slice(0, retained)).at(-1) ?? [];
  if (last === undefined) return false;
  store.commit(() => {
    connection.prepare('DELETE FROM entries WHERE number <= ?').run(last);
    store.dropUpTo(last);
  });
  connection.pragma(`incremental_vacuum(${PAGES_PER_STEP})`);
  return retained < 0 && oldest.length === ENTRIES_PER_STEP;
}

/** The timestamp of the newest `block` entry in Unix milliseconds; 0 without one, so nothing is old. */
function newestBlockTime(connection: SqliteConnection): number {
  const row = connection
    .prepare<[number], [string]>('SELECT body FROM entries WHERE topic = ? ORDER BY number DESC LIMIT 1')
    .raw(true)
    .get(topicNumber('block'));
  return row === undefined ? 0 : (JSON.parse(row[0]) as { timestamp: number }).timestamp * 1000;
}

/** Deletes a step of the entries hidden by `dropUpTo`. @returns whether there may be more */
export function deleteDropped(store: JournalStore, connection: SqliteConnection): boolean {
  const { changes } = store.commit(() =>
    connection
      .prepare(
        `DELETE FROM entries WHERE number IN (SELECT number FROM entries WHERE number <= ? ORDER BY number LIMIT ?)`,
      )
      .run(store.state.keptAfter, ENTRIES_PER_STEP),
  );
  if (changes > 0) connection.pragma(`incremental_vacuum(${PAGES_PER_STEP})`);
  return changes === ENTRIES_PER_STEP;
}
