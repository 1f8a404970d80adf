import fc from 'fast-check';
import {
  MigrationFailed,
  openDatabase,
  openDatabaseAsync,
  type SqliteConnection,
  WrongSchemaVersion,
  type BatchedMigration,
  type Migration,
  type MigrationProgress,
} from '../src';
import { cleanUp, closing, fresh } from './support/folder';
import { BATCH, HISTORY, journal, lengths, oldJournal } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

const version = (file: string): unknown => looking(file, (connection) => pragma(connection, 'user_version'));

/** An old journal of 95 entries, closed: the long step takes ten batches. */
function old(): string {
  const file = fresh('journal.sqlite');
  openDatabase(oldJournal(file, 95)).close();
  return file;
}

/** What the same journal holds when nothing goes wrong. */
function migrated(): string[] {
  const file = old();
  openDatabase(journal(file)).close();
  return contents(file);
}

test('steps run in order, each with its mark, and show what they do', () => {
  const file = old();
  const seen: MigrationProgress[] = [];
  openDatabase(journal(file, { onProgress: (progress) => seen.push(progress) })).close();
  expect(seen.map(({ done }) => done)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 95]);
  expect(seen[9]).toEqual({ version: 3, name: 'lengths', next: undefined, done: 95, total: 95 });
  expect(version(file)).toBe(3);
  looking(file, (connection) => {
    expect(connection.prepare('SELECT count(*) AS wrong FROM entries WHERE length <> length(text)').get()).toEqual({
      wrong: 0,
    });
  });
  const again: MigrationProgress[] = [];
  openDatabase(journal(file, { onProgress: (progress) => again.push(progress) })).close();
  expect(again).toEqual([]);
});

test('a new file and an upgraded one have the same schema', () => {
  const [upgraded, made] = [fresh('journal.sqlite'), fresh('journal.sqlite')];
  for (let length = 1; length <= HISTORY.length; length++) {
    openDatabase(journal(upgraded, { migrations: HISTORY.slice(0, length) })).close();
    expect(version(upgraded)).toBe(length);
  }
  openDatabase(journal(made)).close();
  expect(contents(upgraded)).toEqual(contents(made));
});

test('steps that are not numbered from 1 without gaps are a mistake of the program', () => {
  const [first, second, third] = HISTORY as [Migration, Migration, Migration];
  for (const migrations of [
    [second, third],
    [first, third],
    [second, first],
  ]) {
    expect(() => openDatabase(journal(fresh('journal.sqlite'), { migrations }))).toThrow(RangeError);
  }
});

test('a failed step leaves the version before it, and those before stay done', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file, { migrations: HISTORY.slice(0, 1) })).close();
  const breaking: Migration = {
    version: 3,
    name: 'breaking',
    up: (connection) => {
      connection.exec("CREATE TABLE half (id INTEGER); INSERT INTO entries (text) VALUES ('half')");
      connection.exec('INSERT INTO nowhere VALUES (1)');
    },
  };
  const migrations = [...HISTORY.slice(0, 2), breaking];
  expect(() => openDatabase(journal(file, { migrations }))).toThrow(MigrationFailed);
  expect(() => openDatabase(journal(file, { migrations }))).toThrow(
    `migration 3 (breaking) of the journal ${file} failed: no such table: nowhere`,
  );
  expect(version(file)).toBe(2);
  expect(contents(file).join()).not.toContain('half');
  openDatabase(journal(file)).close();
  expect(version(file)).toBe(3);
});

test('a new file whose making fails is as if it had never been begun', () => {
  const file = fresh('journal.sqlite');
  const breaking: Migration = { version: 2, name: 'breaking', up: (connection) => connection.exec('nonsense') };
  expect(() => openDatabase(journal(file, { migrations: [...HISTORY.slice(0, 1), breaking] }))).toThrow(
    MigrationFailed,
  );
  expect(contents(file)).toEqual(['application_id 0', 'user_version 0']);
});

test('a batch that fails leaves the batches before it, and the next open goes on from there', () => {
  const file = old();
  let broken = true;
  const failing: BatchedMigration = {
    ...lengths,
    batch: (connection, cursor) => {
      const batch = lengths.batch(connection, cursor);
      if (broken && cursor === 3 * BATCH) throw new Error('enough');
      return batch;
    },
  };
  const migrations = [...HISTORY.slice(0, 2), failing];
  expect(() => openDatabase(journal(file, { migrations }))).toThrow(MigrationFailed);
  expect(version(file)).toBe(2);
  looking(file, (connection) => {
    expect(connection.prepare('SELECT count(length) AS done FROM entries').get()).toEqual({ done: 3 * BATCH });
  });
  broken = false;
  openDatabase(journal(file, { migrations })).close();
  expect(contents(file)).toEqual(migrated());
});

test('a batch that ends where it began is a mistake of the step, not a loop without end', () => {
  const file = old();
  const stuck: BatchedMigration = { ...lengths, batch: () => ({ next: 5, done: 0, total: 1 }) };
  const migrations = [...HISTORY.slice(0, 2), stuck];
  expect(() => openDatabase(journal(file, { migrations }))).toThrow(/a batch ended where it began: 5/);
  expect(() => openDatabase(journal(fresh('journal.sqlite'), { migrations }))).toThrow(/ended where it began/);
});

test('cut short by a signal between batches, and finished later', () => {
  const file = old();
  const stop = new AbortController();
  const reason = new Error('later');
  const onProgress = ({ done }: MigrationProgress): void => {
    if (done === 40) stop.abort(reason);
  };
  expect(() => openDatabase(journal(file, { onProgress, signal: stop.signal }))).toThrow(reason);
  expect(version(file)).toBe(2);
  expect(() => openDatabase(journal(file, { signal: stop.signal }))).toThrow(reason);
  const rest: number[] = [];
  openDatabase(journal(file, { onProgress: ({ done }) => rest.push(done) })).close();
  expect(rest).toEqual([50, 60, 70, 80, 90, 95]);
  expect(contents(file)).toEqual(migrated());
});

test('the asynchronous form gives the event loop its turn and hears a signal that comes then', async () => {
  const file = old();
  const stop = new AbortController();
  const reason = new Error('later');
  const turns: number[] = [];
  let done = 0;
  const turn = (): void => {
    turns.push(done);
    if (done >= 30) stop.abort(reason);
    else setImmediate(turn);
  };
  setImmediate(turn);
  const onProgress = (progress: MigrationProgress): void => void (done = progress.done);
  await expect(openDatabaseAsync(journal(file, { onProgress, signal: stop.signal }))).rejects.toBe(reason);
  expect(new Set(turns).size).toBeGreaterThan(2);
  expect(version(file)).toBe(2);
  const database = await openDatabaseAsync(journal(file));
  database.close();
  expect(contents(file)).toEqual(migrated());
});

test('while a long step is unfinished, programs that do not know it refuse the file, and readers do', () => {
  const file = old();
  const stop = new AbortController();
  expect(() => openDatabase(journal(file, { onProgress: () => stop.abort(), signal: stop.signal }))).toThrow();
  const before = contents(file);
  const known = { migrations: HISTORY.slice(0, 2) };
  for (const mode of ['read', 'write'] as const) {
    expect(() => openDatabase(journal(file, { mode, ...known }))).toThrow(WrongSchemaVersion);
    expect(() => openDatabase(journal(file, { mode, ...known }))).toThrow(/version 3, this program reads 2: .*newer/);
  }
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(/open it for writing first/);
  expect(contents(file)).toEqual(before);
});

/** A history of `sizes`: 0 makes a whole step, any other number a long one of that many batches. */
function historyOf(sizes: readonly number[]): Migration[] {
  return sizes.map((size, i): Migration => {
    const numbered = { version: i + 1, name: `step ${i + 1}` };
    const table = `CREATE TABLE IF NOT EXISTS step_${i + 1} (batch TEXT NOT NULL) STRICT`;
    if (size === 0) return { ...numbered, up: (connection) => connection.exec(table) };
    return {
      ...numbered,
      batch: (connection, cursor = 'batch 0') => {
        const done = Number(String(cursor).slice(6)) + 1;
        connection.exec(table);
        connection.prepare(`INSERT INTO step_${i + 1} VALUES (?)`).run(`batch ${done}`);
        return { next: done < size ? `batch ${done}` : undefined, done, total: size };
      },
    };
  });
}

test('however a history is cut short and by whom it is resumed, the end is the same and each batch ran once', () => {
  const histories = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });
  const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(histories, cuts, (sizes, turns) => {
      const migrations = historyOf(sizes);
      const [whole, cut] = [fresh('journal.sqlite'), fresh('journal.sqlite')];
      openDatabase(journal(whole, { migrations })).close();
      openDatabase(journal(cut, { migrations: migrations.slice(0, 1) })).close();
      let highest = 1;
      for (const turn of turns) {
        const stop = new AbortController();
        let left = turn;
        const onProgress = (): void => void (--left === 0 && stop.abort());
        try {
          openDatabase(journal(cut, { migrations, onProgress, signal: stop.signal })).close();
        } catch (error) {
          expect(error).toBe(stop.signal.reason);
        }
        const reached = Number(version(cut));
        expect(reached).toBeGreaterThanOrEqual(highest);
        highest = reached;
      }
      openDatabase(journal(cut, { migrations })).close();
      expect(contents(cut)).toEqual(contents(whole));
      cleanUp();
    }),
    { numRuns: 25 },
  );
});

test('a step that is asynchronous is a mistake of the program: its mark would come before its work', () => {
  const file = fresh('journal.sqlite');
  const late = {
    version: 1,
    name: 'late',
    up: async (connection: SqliteConnection) => {
      connection.exec('CREATE TABLE early (a)');
      await Promise.reject(new Error('later'));
    },
  };
  expect(() => openDatabase(journal(file, { migrations: [late] }))).toThrow('this one is asynchronous');
  closing(openDatabase(journal(file)));
  expect(contents(file).join()).not.toContain('early');
});
