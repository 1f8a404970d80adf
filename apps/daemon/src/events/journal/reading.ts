import { openDatabase, type SqliteConnection, type SqliteDatabase, type SqliteStatement } from '@wrkz/sqlite';
import { DamagedJournal, entryChecksum, stateChecksum } from './checksums';
import { EntriesGone, JOURNAL_TOPICS, type JournalTopic } from './journal';
import { journalOptions, topicNumber } from './schema';
import type { JournalState } from './state';

/** An entry whose body is JSON still. */
export interface PrintedEntry {
  readonly number: number;
  readonly topic: JournalTopic;
  /** Unix milliseconds. */
  readonly time: number;
  readonly body: string;
}

/** Entries in a row. */
export interface JournalPage {
  readonly journal: string;
  readonly entries: readonly PrintedEntry[];
  /** After which to go on. */
  readonly next: number;
  /** The highest number that was given. */
  readonly latest: number;
  readonly keptAfter: number;
}

/** Bytes of bodies after which a page ends, so that no page holds up the event loop. One entry is always given. */
export const PAGE_BYTES = 256 * 1024;

type EntryRow = readonly [number: number, topic: number, time: number, body: string, checksum: number];

/** @throws DamagedJournal */
export function readState(connection: SqliteConnection): JournalState {
  const row = connection
    .prepare<[], [string, number, number, number]>('SELECT journal, last, kept_after, checksum FROM state')
    .raw(true)
    .get();
  if (row === undefined) throw new DamagedJournal('the state of the journal is missing');
  const [journal, last, keptAfter, checksum] = row;
  const state = { journal, last, keptAfter };
  if (stateChecksum(state) !== checksum) throw new DamagedJournal('the state of the journal is damaged');
  return state;
}

/** A reading connection of its own; what it gives is on disk and was compared with its checksum. */
export class JournalReader {
  private readonly connection: SqliteConnection;
  private readonly rows: SqliteStatement<[number, number], EntryRow>;
  private readonly row: SqliteStatement<[number], EntryRow>;
  private readonly ofTopic: SqliteStatement<[number, number, number], [number]>;
  private readonly session: SqliteStatement<[number], [number]>;

  constructor(private readonly database: Pick<SqliteDatabase, 'connection' | 'close'>) {
    const { connection } = database;
    this.connection = connection;
    const select = 'SELECT number, topic, time, body, checksum FROM entries WHERE number';
    this.rows = connection.prepare<[number, number], EntryRow>(`${select} > ? ORDER BY number LIMIT ?`).raw(true);
    this.row = connection.prepare<[number], EntryRow>(`${select} = ?`).raw(true);
    this.ofTopic = connection
      .prepare<[number, number, number], [number]>(
        'SELECT number FROM entries WHERE topic = ? AND number > ? ORDER BY number LIMIT ?',
      )
      .raw(true);
    this.session = connection
      .prepare<[number], [number]>('SELECT before FROM sessions WHERE first > ? ORDER BY first LIMIT 1')
      .raw(true);
  }

  /** @throws what opening a database throws */
  static open(directory: string): JournalReader {
    return new JournalReader(openDatabase(journalOptions(directory, 'read')));
  }

  /** @throws DamagedJournal */
  state(): JournalState {
    return readState(this.connection);
  }

  /**
   * Up to `limit` entries above `after`, of the named topics; 0 means from the first one that is kept. All of one state of
   * the journal.
   *
   * @throws EntriesGone, DamagedJournal
   */
  page(after: number, topics: readonly JournalTopic[], limit: number): JournalPage {
    return this.connection.transaction(() => {
      const { journal, last, keptAfter } = this.state();
      const from = after === 0 ? keptAfter : after;
      if (from < keptAfter || from > last || this.wasNeverGiven(from)) throw new EntriesGone(after, keptAfter, last);
      const all = topics.length === JOURNAL_TOPICS.length;
      const [entries, whole] = bounded(all ? this.rows.iterate(from, limit) : this.chosen(from, topics, limit));
      const next = whole && entries.length < limit ? last : (entries.at(-1)?.number ?? last);
      return { journal, entries, next, latest: last, keptAfter };
    })();
  }

  close(): void {
    this.database.close();
  }

  /** Numbers that a start left out, as well as those of what a restored backup no longer knows. */
  private wasNeverGiven(number: number): boolean {
    const before = this.session.get(number)?.[0];
    return before !== undefined && number > before;
  }

  private *chosen(after: number, topics: readonly JournalTopic[], limit: number): Generator<EntryRow> {
    const numbers = topics.flatMap((topic) =>
      this.ofTopic.all(topicNumber(topic), after, limit).map(([number]) => number),
    );
    for (const number of numbers.sort((a, b) => a - b).slice(0, limit)) {
      const row = this.row.get(number);
      if (row === undefined) throw new DamagedJournal(`entry ${number} of the journal is missing`);
      yield row;
    }
  }
}

/** The entries of some rows, and whether these were all. */
function bounded(rows: Iterable<EntryRow>): [entries: PrintedEntry[], whole: boolean] {
  const entries: PrintedEntry[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row[3].length;
    if (bytes > PAGE_BYTES && entries.length > 0) return [entries, false];
    entries.push(checkedEntry(row));
  }
  return [entries, true];
}

/** @throws DamagedJournal */
export function checkedEntry([number, topic, time, body, checksum]: EntryRow): PrintedEntry {
  const name = JOURNAL_TOPICS[topic];
  if (name === undefined || entryChecksum(number, topic, time, body) !== checksum) {
    throw new DamagedJournal(`entry ${number} of the journal is damaged`);
  }
  return { number, topic: name, time, body };
}
