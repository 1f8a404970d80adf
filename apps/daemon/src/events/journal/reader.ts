import { openDatabase, type SqliteConnection, type SqliteDatabase, type SqliteStatement } from '@wrkz/sqlite';
import { EntriesGone, JOURNAL_TOPICS, type JournalEntry, type JournalTopic } from './entry';
import { DamagedJournal, journalOptions, type JournalState, readState, topicNumber } from './schema';

/** An entry with its body as JSON text. */
export interface PrintedEntry extends Omit<JournalEntry, 'body'> {
  readonly body: string;
}

/** Consecutive entries of the requested topics. */
export interface JournalPage {
  readonly journal: string;
  readonly entries: readonly PrintedEntry[];
  /** Pass it as `after` to read the next page. */
  readonly next: number;
  /** The highest assigned number. */
  readonly latest: number;
  readonly keptAfter: number;
}

/** Maximum bytes of bodies per page, to limit the delay of the event loop. A page has at least one entry. */
export const PAGE_BYTES = 256 * 1024;

type EntryRow = readonly [number: number, topic: number, time: number, body: string];

/** Reads the journal on its own connection. Entries are on disk. */
export class JournalReader {
  private readonly connection: SqliteConnection;
  private readonly rows: SqliteStatement<[number, number], EntryRow>;
  private readonly row: SqliteStatement<[number], EntryRow>;
  private readonly ofTopic: SqliteStatement<[number, number, number], [number]>;
  private readonly session: SqliteStatement<[number], [number]>;

  constructor(private readonly database: Pick<SqliteDatabase, 'connection' | 'close'>) {
    const { connection } = database;
    this.connection = connection;
    const select = 'SELECT number, topic, time, body FROM entries WHERE number';
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

  /** @throws the errors of `openDatabase` */
  static open(directory: string): JournalReader {
    return new JournalReader(openDatabase(journalOptions(directory, 'read')));
  }

  /** @throws DamagedJournal */
  state(): JournalState {
    return readState(this.connection);
  }

  /**
   * Up to `limit` entries of the topics above `after`; 0 is the first retained entry. One snapshot of the journal.
   * @throws EntriesGone, DamagedJournal
   */
  page(after: number, topics: readonly JournalTopic[], limit: number): JournalPage {
    return this.connection.transaction(() => {
      const { journal, last, keptAfter } = this.state();
      const from = after === 0 ? keptAfter : after;
      if (from < keptAfter || from > last || this.wasSkipped(from)) throw new EntriesGone(after, keptAfter, last);
      const all = topics.length === JOURNAL_TOPICS.length;
      const rows = all ? this.rows.iterate(from, limit) : this.rowsOfTopics(from, topics, limit);
      const [entries, isWhole] = bounded(rows);
      const next = isWhole && entries.length < limit ? last : (entries.at(-1)?.number ?? last);
      return { journal, entries, next, latest: last, keptAfter };
    })();
  }

  close(): void {
    this.database.close();
  }

  /** Whether a restart skipped the number, or a newer copy of this journal assigned it before a backup was restored. */
  private wasSkipped(number: number): boolean {
    const before = this.session.get(number)?.[0];
    return before !== undefined && number > before;
  }

  private *rowsOfTopics(after: number, topics: readonly JournalTopic[], limit: number): Generator<EntryRow> {
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

/** The entries of the rows up to `PAGE_BYTES`, and whether all rows fit. */
function bounded(rows: Iterable<EntryRow>): [entries: PrintedEntry[], isWhole: boolean] {
  const entries: PrintedEntry[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row[3].length;
    if (bytes > PAGE_BYTES && entries.length > 0) return [entries, false];
    const [number, topic, time, body] = row;
    entries.push({ number, topic: JOURNAL_TOPICS[topic] as JournalTopic, time, body });
  }
  return [entries, true];
}
