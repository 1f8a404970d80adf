import fs, { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { adoptDatabase, openDatabase } from '../src';
import { scanLog } from '../src/log-scan';
import { runProgram } from './support/child';
import { crashed } from './support/crash';
import { cleanUp, closing, fresh } from './support/folder';
import { journal } from './support/journal';
import { add, closed, entriesOf, killed, open, SHORT } from './support/sessions';

/* A session can be killed between any two writes. After no kill may a commit be lost or an intact database be rejected. */

afterEach(() => {
  jest.restoreAllMocks();
  cleanUp();
});

const wal = (file: string): string => `${file}-wal`;

/** Copies the files before and after each write of the control file: the states after kills at these times. */
function killsDuring(file: string, work: () => void, committed: () => number): { file: string; committed: number }[] {
  const kills: { file: string; committed: number }[] = [];
  const folder = fresh();
  const copy = (): void => {
    const left = join(folder, String(kills.length), basename(file));
    mkdirSync(dirname(left));
    for (const suffix of ['', '-wal', '-control', '-control.new']) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, left + suffix);
    }
    kills.push({ file: left, committed: committed() });
  };
  for (const name of ['writeSync', 'fsyncSync', 'renameSync'] as const) {
    const original = fs[name] as (...parameters: unknown[]) => unknown;
    jest.spyOn(fs, name).mockImplementation(((...parameters: unknown[]) => {
      copy();
      const result = original(...parameters);
      copy();
      return result;
    }) as never);
  }
  try {
    work();
  } finally {
    jest.restoreAllMocks();
  }
  return kills;
}

test('after a kill at any moment, twice in a row, nothing is lost and the database opens', () => {
  const file = fresh('journal.sqlite');
  let count = 0;
  const settings = { checkpointAt: 3 * 4096 };
  const adoptCommand = 'program adopt';
  const write = (database: ReturnType<typeof open>, commits: number): void => {
    for (let i = 0; i < commits; i++) {
      add(database, 1);
      count++;
    }
  };
  const life = (): void => {
    for (let session = 0; session < 2; session++) {
      const database = open(file, { settings, adoptCommand });
      write(database, 4);
      database.cutLog();
      write(database, 1);
      const reader = open(file, { mode: 'read', besideOwn: true });
      reader.connection.exec('BEGIN');
      entriesOf(reader);
      write(database, 1);
      expect(database.cutLog()).toBe(false);
      write(database, 1);
      if (session === 1) reader.close();
      database.close();
      reader.close();
    }
  };
  const kills = killsDuring(file, life, () => count);
  expect(kills.length).toBeGreaterThan(60);
  for (const kill of kills) {
    const expectSound = (left: string, min: number): void => {
      const database = open(left, { adoptCommand });
      // A commit that precedes the write of the control file is not reported yet.
      expect([0, 1]).toContain(entriesOf(database) - min);
      database.close();
    };
    const again = killsDuring(
      kill.file,
      () => expectSound(kill.file, kill.committed),
      () => 0,
    );
    for (const second of again.filter((_, i) => i % 7 === 0)) expectSound(second.file, kill.committed);
  }
});

test('a kill at any moment of an adoption leaves a database that can be adopted', () => {
  const file = killed(5, 5);
  const adoptCommand = 'program adopt';
  const adopt = (path: string): void => adoptDatabase(journal(path, { ...SHORT, adoptCommand }));
  const kills = killsDuring(
    file,
    () => adopt(file),
    () => 0,
  );
  expect(kills.length).toBeGreaterThan(10);
  for (const kill of kills) {
    adopt(kill.file);
    const database = open(kill.file, { adoptCommand });
    expect(entriesOf(database)).toBe(10);
    database.close();
  }
});

test('killed processes lose no reported commit', async () => {
  const file = fresh('journal.sqlite');
  let min = 0;
  for (let kill = 0; kill < 12; kill++) {
    const program = runProgram('sessions.ts', file);
    for (let lines = 0; lines < 3 + 7 * kill; lines++) min = Number(await program.line());
    program.kill();
    expect(await program.ended).toBe('SIGKILL');
    const reader = open(file, { mode: 'read', adoptCommand: 'program adopt' });
    expect(entriesOf(reader)).toBeGreaterThanOrEqual(min);
    reader.close();
  }
});

test('a log with a new round has the same identity; the next session after a stop has another log', () => {
  const file = fresh('journal.sqlite');
  const database = open(file, { settings: { checkpointAt: 10 * 4096 } });
  const identities = new Set<number>();
  const rounds = new Set<string | undefined>();
  const note = (): void => {
    const bytes = readFileSync(wal(file));
    identities.add((bytes.readUInt32BE(16) - bytes.readUInt32BE(12)) >>> 0);
    rounds.add(scanLog({ file, title: 'journal' })?.round);
  };
  for (let i = 0; i < 10; i++) {
    add(database, 5);
    note();
  }
  database.cutLog();
  add(database, 1);
  note();
  expect(identities.size).toBe(1);
  expect(rounds.size).toBeGreaterThan(2);
  const left = crashed(file, fresh('left'));
  database.close();
  expect(entriesOf(open(left))).toBe(51);
  add(open(file), 1);
  note();
  expect(identities.size).toBe(2);
});

describe('a kill after a checkpoint of the whole log', () => {
  /** @param frames number of frames of the next commit in the log; undefined: not even the header of the round */
  function killedBetween(frames: number | undefined): string {
    const file = fresh('journal.sqlite');
    const database = open(file);
    add(database, 10);
    database.connection.pragma('wal_checkpoint(PASSIVE)');
    const left = crashed(file, fresh('left'));
    add(database, 1, 'long text '.repeat(2000));
    if (frames === undefined) return left;
    const [log, next] = [readFileSync(wal(left)), readFileSync(wal(file))];
    next.copy(log, 0, 0, 32 + frames * (24 + 4096));
    writeFileSync(wal(left), log);
    return left;
  }

  test.each([undefined, 0, 1, 3])('loses nothing, with %s frames of the next commit', (frames) => {
    const left = killedBetween(frames);
    const again = open(left);
    expect([entriesOf(again), again.isCleanStop]).toEqual([10, false]);
    add(again, 5);
    expect(entriesOf(open(crashed(left, fresh('again'))))).toBe(15);
  });
});

test('a file that has grown and shrunk opens after a kill', () => {
  const file = fresh('journal.sqlite');
  const database = open(file, { settings: { checkpointAt: 10 * 4096, autoVacuum: 'full' } });
  database.connection.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO entries (text) SELECT hex(zeroblob(150)) FROM n`);
  database.committed();
  database.connection.pragma('wal_checkpoint(TRUNCATE)');
  const { size } = statSync(file);
  database.connection.exec('DELETE FROM entries WHERE id > 100');
  database.committed();
  const left = crashed(file, fresh('left'));
  expect(statSync(left).size).toBe(size);
  const again = open(left);
  expect(entriesOf(again)).toBe(100);
  again.close();
  expect(statSync(left).size).toBeLessThan(size / 4);
});

test('a stop while a reader is open retains the log, and the next session continues with it', () => {
  const file = closed(5);
  const database = open(file);
  const reader = closing(openDatabase(journal(file, { ...SHORT, mode: 'read' })));
  reader.connection.exec('BEGIN');
  expect(entriesOf(reader)).toBe(15);
  add(database, 5);
  database.close();
  expect(statSync(wal(file)).size).toBeGreaterThan(0);
  expect(entriesOf(open(crashed(file, fresh('left'))))).toBe(20);
  reader.close();
  const again = open(file);
  expect([entriesOf(again), again.isCleanStop]).toEqual([20, false]);
});

test('reports whether the last stop was clean: a kill, then a stop', () => {
  const file = killed(5, 5);
  const database = open(file);
  expect(database.isCleanStop).toBe(false);
  database.close();
  expect(open(file).isCleanStop).toBe(true);
});

test('a session without a call of committed() loses nothing', () => {
  const file = closed(5);
  const database = open(file);
  database.connection.prepare('INSERT INTO entries (text) VALUES (?)').run('x');
  expect(entriesOf(open(crashed(file, fresh('left'))))).toBe(16);
});
