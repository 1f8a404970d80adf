import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { openChainDb } from '@wrkz/chain-db';
import { openDatabase, SqliteConnection } from '@wrkz/sqlite';
import { completeStep, writeEvent } from '../../src/events/journal/chain-follower';
import { EntriesGone, type EntryContent, JOURNAL_TOPICS } from '../../src/events/journal/entry';
import { JournalReader, PAGE_BYTES } from '../../src/events/journal/reader';
import { deleteOldEntries, ENTRIES_PER_STEP, JournalStore } from '../../src/events/journal/store';
import { journalFile, journalOptions } from '../../src/events/journal/schema';
import { JournalWriter } from '../../src/events/journal/writer';
import { temporaryDirectory } from '../support/temporary';
import { entriesIn, freshHash, ModelChain, openStore } from './support/model';

const DAY = 86_400_000;
const START = 20_000 * DAY;

/** The entry of a block with a timestamp. @param time Unix milliseconds */
const blockAt = (time: number): EntryContent => ['block', { timestamp: time / 1000 }];

/** A writer over a folder with an empty devnet chain. */
function bench(directory = temporaryDirectory()) {
  openChainDb({ directory, network: 'devnet', create: true }).close();
  const warnings: string[] = [];
  const clock = { now: 20_000 * DAY };
  const around = { warn: (text: string) => void warnings.push(text), now: () => clock.now };
  const start = (retentionDays = 30): JournalWriter =>
    new JournalWriter({ directory, network: 'devnet', retentionDays }, around);
  return { directory, warnings, clock, start };
}

let handed = 0;
const transaction = (time: number) => {
  return { event: { kind: 'pool-added', hash: freshHash() } as const, time, number: (handed += 1) };
};

describe('sequence numbers', () => {
  it('increase over restarts, and those that a start skips are reported as never used', async () => {
    const { directory, clock, start } = bench();
    const first = start();
    await first.open();
    const { latest } = await first.append([transaction(1), transaction(2)]);
    first.close();
    clock.now += 5;
    const second = start();
    const standing = await second.open();
    expect(standing.latest).toBeGreaterThan(latest);
    await second.append([transaction(3)]);
    second.close();
    expect(entriesIn(directory, latest)).toHaveLength(1);
    expect(entriesIn(directory, standing.latest)).toHaveLength(1);
    expect(() => entriesIn(directory, latest + 1)).toThrow(EntriesGone);
    expect(() => entriesIn(directory, standing.latest + 2)).toThrow(EntriesGone);
  });

  it('increase although the clock was set back', async () => {
    const { clock, start } = bench();
    const first = start();
    const { latest } = await first.open();
    first.close();
    clock.now -= 10 * DAY;
    const second = start();
    await second.open();
    expect((await second.append([transaction(1)])).latest).toBe(latest + 1);
    second.close();
  });
});

describe('a journal of version 1', () => {
  const LAST = START * 1000;
  const hash = freshHash();

  /** A journal with an entry and a block. Rows of version 1 have checksums. */
  function version1(directory: string): void {
    const options = journalOptions(directory, 'write');
    const rows = (connection: SqliteConnection): void => {
      connection.prepare('INSERT INTO state VALUES (0, ?, ?, 0, 1)').run('journal 1', LAST);
      connection.prepare('INSERT INTO entries VALUES (?, 0, ?, ?, 1)').run(LAST, START, '{"height":7}');
      connection.prepare('INSERT INTO main_chain VALUES (7, ?, 1)').run(hash);
    };
    openDatabase({ ...options, migrations: options.migrations.slice(0, 1), onCreate: rows }).close();
  }

  it('is upgraded, and retains its entries, numbers and blocks', async () => {
    const { directory, warnings, start } = bench();
    version1(directory);
    const writer = start();
    const standing = await writer.open();
    expect(standing).toMatchObject({ journal: 'journal 1', begun: true });
    await writer.append([transaction(1)]);
    writer.close();
    expect(entriesIn(directory, LAST - 1).map(({ number, topic }) => [number, topic])).toEqual([
      [LAST, 'block'],
      [standing.latest + 1, 'tx'],
    ]);
    expect(warnings).toEqual([]);
    const store = openStore(directory);
    expect(store.position()).toEqual({ height: 7, hash });
    store.close();
  });

  it('that is damaged is replaced by one with higher numbers, with any time of the clock', async () => {
    const { directory, warnings, clock, start } = bench();
    version1(directory);
    damagePage(journalFile(directory), 'entries');
    clock.now -= 100 * DAY;
    const writer = start();
    expect((await writer.open()).latest).toBeGreaterThan(LAST);
    writer.close();
    expect(warnings).toEqual([expect.stringContaining('to schema version 2 failed')]);
  });
});

describe('a lost journal', () => {
  const losses: readonly (readonly [string, (file: string) => void])[] = [
    ['missing', (file) => rmSync(file)],
    ['empty', (file) => truncateSync(file, 0)],
    ['cut short', (file) => truncateSync(file, 8192)],
    ['no database', (file) => writeFileSync(file, 'x'.repeat(10_000))],
    ['of a newer program', (file) => alter(file, 'PRAGMA user_version = 99')],
    ['with a damaged page', (file) => damagePage(file, 'main_chain')],
    ['without a state', (file) => alter(file, 'DELETE FROM state')],
  ];

  test.each(losses)('%s: the node starts a new one with higher numbers, and warns', async (_name, damage) => {
    const { directory, warnings, clock, start } = bench();
    const first = start();
    await first.open();
    await first.begin({ height: 0, hash: freshHash() });
    const { latest, journal } = await first.append([transaction(1)]);
    first.close();
    damage(journalFile(directory));
    clock.now += 1;
    const second = start();
    const standing = await second.open();
    second.close();
    expect(standing.journal).not.toBe(journal);
    expect(standing.latest).toBeGreaterThan(latest);
    expect(standing.begun).toBe(false);
    expect(() => entriesIn(directory, latest)).toThrow(EntriesGone);
    const aside = readdirSync(directory).filter((name) => name.includes('damaged'));
    expect([warnings.length, aside.length > 0]).toEqual([1, true]);
  });

  it('deleted while open is replaced by a new one at the next write', async () => {
    const { directory, warnings, start } = bench();
    const writer = start();
    await writer.open();
    const { latest } = await writer.append([transaction(1)]);
    for (const name of readdirSync(directory)) if (name.startsWith('events')) rmSync(`${directory}/${name}`);
    const standing = await writer.append([transaction(2)]);
    writer.close();
    expect(warnings).toEqual([expect.stringContaining('is gone')]);
    expect(standing.latest).toBeGreaterThan(latest);
    expect(entriesIn(directory)).toHaveLength(1);
  });

  it('is not one whose lock file was removed while it was open: no event is lost', async () => {
    const { directory, warnings, start } = bench();
    const writer = start();
    const { journal } = await writer.open();
    await writer.append([transaction(1)]);
    rmSync(`${journalFile(directory)}.lock`);
    const standing = await writer.append([transaction(2)]);
    expect(standing.journal).toBe(journal);
    expect(entriesIn(directory)).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining('.lock of the open event journal was removed')]);
    await expect(start().open()).rejects.toThrow('in use');
    writer.close();
  });

  test.each(losses.filter(([name]) => /newer|damaged page/.test(name)))(
    '%s: the new one continues above the numbers that are still readable, with any time of the clock',
    async (_name, damage) => {
      const { directory, clock, start } = bench();
      const first = start();
      await first.open();
      await first.begin({ height: 0, hash: freshHash() });
      const { latest } = await first.append([transaction(1)]);
      first.close();
      damage(journalFile(directory));
      clock.now -= 100 * DAY;
      const second = start();
      expect((await second.open()).latest).toBeGreaterThan(latest);
      second.close();
    },
  );

  it('repeatedly is replaced at most once a minute, and few copies are left behind', async () => {
    const { directory, clock, start } = bench();
    const writer = start();
    await writer.open();
    for (let i = 0; i < 6; i++) {
      clock.now += 61_000;
      await writer.renew('damaged');
      await expect(writer.renew('damaged')).rejects.toThrow('damaged again');
      await expect(writer.renew('damaged')).resolves.toMatchObject({ begun: false });
    }
    writer.close();
    const aside = readdirSync(directory).filter((name) => /damaged-.*\.sqlite$/.test(name));
    expect(aside.length).toBeLessThanOrEqual(3);
    expect(existsSync(journalFile(directory))).toBe(true);
  });
});

describe('pages', () => {
  it('are limited in bytes, and filter topics without reading the others', () => {
    const directory = temporaryDirectory();
    const store = openStore(directory);
    const large = 'x'.repeat(PAGE_BYTES / 2);
    store.commit(() => {
      for (let i = 0; i < 5; i++) store.append(['alternative', { large }], i);
      for (let i = 0; i < 3; i++) store.append(['tx', { hash: String(i) }], i);
    });
    store.close();
    const reader = JournalReader.open(directory);
    const first = reader.page(0, JOURNAL_TOPICS, 1000);
    expect(first.entries.length).toBeLessThan(3);
    expect(first.next).toBe(first.entries.at(-1)?.number);
    const chosen = reader.page(0, ['tx', 'block'], 2);
    expect(chosen.entries.map(({ number }) => number)).toEqual([6, 7]);
    expect(chosen.next).toBe(7);
    expect(reader.page(7, ['block'], 10)).toMatchObject({ entries: [], next: 8 });
    reader.close();
    expect(entriesIn(directory)).toHaveLength(8);
  });
});

describe('deletion', () => {
  it('is by age in small steps, leaves numbers increasing, and reports the deleted range', () => {
    const directory = temporaryDirectory();
    const database = openDatabase(journalOptions(directory, 'write'));
    const store = new JournalStore(database);
    const count = ENTRIES_PER_STEP + 20;
    store.commit(() => {
      for (let i = 0; i < count; i++) store.append(['tx', { hash: String(i) }], START);
      store.append(['tx', { hash: 'from the future' }], START + 400 * DAY);
      store.append(['tx', { hash: 'old' }], START);
      store.append(blockAt(START + 31 * DAY), START + 20 * DAY);
    });
    const now = START + 31 * DAY;
    expect(deleteOldEntries(store, database.connection, 31, now)).toBe(false);
    expect(deleteOldEntries(store, database.connection, 30, now)).toBe(true);
    expect(store.state.keptAfter).toBe(ENTRIES_PER_STEP);
    expect(deleteOldEntries(store, database.connection, 30, now)).toBe(false);
    expect(entriesIn(directory).map(({ topic }) => topic)).toEqual(['block']);
    expect(() => entriesIn(directory, count)).toThrow(EntriesGone);
    expect(deleteOldEntries(store, database.connection, 1, now)).toBe(false);
    expect(entriesIn(directory)).toEqual([]);
    store.commit(() => store.append(['tx', { hash: 'next' }], now));
    store.close();
    expect(entriesIn(directory).map(({ number }) => number)).toEqual([count + 4]);
  });

  it('deletes the sessions before the retained entries: there is one for each start', () => {
    const database = openDatabase(journalOptions(temporaryDirectory(), 'write'));
    const store = new JournalStore(database);
    const count = (): unknown => database.connection.prepare('SELECT count(*) FROM sessions').raw(true).get();
    for (const start of [1000, 2000, 3000]) store.commit(() => store.skipTo(start));
    expect(count()).toEqual([3]);
    store.commit(() => store.dropUpTo(2500));
    expect(count()).toEqual([1]);
    store.close();
  });

  it('deletes nothing while the clock is ahead of the chain', () => {
    const directory = temporaryDirectory();
    const database = openDatabase(journalOptions(directory, 'write'));
    const store = new JournalStore(database);
    const remaining = (now: number): number => {
      while (deleteOldEntries(store, database.connection, 30, now));
      return entriesIn(directory).length;
    };
    store.commit(() => store.append(['tx', { hash: 'before the first block' }], START));
    expect(remaining(START + 400 * DAY)).toBe(1);
    store.commit(() => store.append(blockAt(START + DAY), START + DAY));
    expect(remaining(START + 400 * DAY)).toBe(2);
    store.commit(() => store.append(blockAt(START + 2 * DAY), START + 400 * DAY));
    expect(remaining(START + 400 * DAY)).toBe(3);
    // The clock is right again, and the entry from the future is deleted together with the next old one.
    store.commit(() => store.append(blockAt(START + 32.5 * DAY), START + 32.5 * DAY));
    expect(remaining(START + 32.5 * DAY)).toBe(2);
    store.commit(() => store.append(['tx', { hash: 'recent' }], START + 33 * DAY));
    store.commit(() => store.append(blockAt(START + 90 * DAY), START + 90 * DAY));
    expect(remaining(START + 90 * DAY)).toBe(1);
    store.close();
  });

  it('deletes nothing while the clock is behind, and old entries after it is right again', () => {
    const directory = temporaryDirectory();
    const database = openDatabase(journalOptions(directory, 'write'));
    const store = new JournalStore(database);
    const remaining = (now: number): number => {
      while (deleteOldEntries(store, database.connection, 30, now));
      return entriesIn(directory).length;
    };
    const count = 2 * ENTRIES_PER_STEP;
    store.commit(() => {
      for (let i = 0; i < count; i++) store.append(['tx', { hash: String(i) }], START);
    });
    for (const clock of [START - 5 * 3_600_000, START - 3 * DAY, 0]) expect(remaining(clock)).toBe(count);
    store.commit(() => store.append(['tx', { hash: 'while the clock was wrong' }], 0));
    expect(remaining(1_000)).toBe(count + 1);
    store.commit(() => store.append(['tx', { hash: 'new' }], START + DAY));
    store.commit(() => store.append(blockAt(START + 2 * DAY), START + 2 * DAY));
    expect(remaining(START + 2 * DAY)).toBe(count + 3);
    store.commit(() => store.append(blockAt(START + 30.5 * DAY), START + 30.5 * DAY));
    expect(remaining(START + 30.5 * DAY)).toBe(3);
    store.close();
  });

  it('retains the remembered blocks: a reorganisation below the oldest entry is recorded', () => {
    const directory = temporaryDirectory();
    const database = openDatabase(journalOptions(directory, 'write'));
    const store = new JournalStore(database);
    const chain = new ModelChain();
    store.commit(() => store.extend(chain.tip));
    for (let i = 0; i < 4; i++) {
      const event = chain.grow();
      store.commit(() => writeEvent(store, { event, time: START }));
    }
    store.commit(() => store.append(blockAt(START + 2 * DAY), START - DAY));
    deleteOldEntries(store, database.connection, 1, START + 2 * DAY);
    chain.turn(3, 1);
    while (!completeStep(store, chain.reader, START + 2 * DAY));
    store.close();
    expect(entriesIn(directory).map(({ topic, body }) => [topic, body['discarded_blocks'] ?? body['height']])).toEqual([
      ['reorganisation', 3],
      ['block', 2],
    ]);
  });
});

function alter(file: string, statement: string): void {
  const database = openDatabase({ ...journalOptions('', 'write'), file });
  database.connection.exec(statement);
  database.close();
}

/** Changes a byte of the page with the rows of a table. */
function damagePage(file: string, table: string): void {
  const connection = new SqliteConnection(file);
  const query = 'SELECT rootpage * page_size FROM sqlite_schema, pragma_page_size WHERE name = ?';
  const [end] = connection.prepare<[string], [number]>(query).raw(true).get(table) ?? [0];
  connection.close();
  const bytes = readFileSync(file);
  bytes[end - 100] = 1;
  writeFileSync(file, bytes);
}
