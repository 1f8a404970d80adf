import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase, SqliteFileError, WrongLog } from '../src';
import { scanLog } from '../src/log-scan';
import { cleanUp, fresh } from './support/folder';
import { crashed } from './support/crash';
import { journal } from './support/journal';
import { add, closed, earlyCopy, entriesOf, folderState, killed, open, SHORT } from './support/sessions';

afterEach(cleanUp);

const wal = (file: string): string => `${file}-wal`;
const control = (file: string): string => `${file}-control`;

/** Expects that neither a reader nor a writer opens the database, and that no file in its folder changes. */
function expectRefused(file: string, message: RegExp, options: Parameters<typeof open>[1] = {}): void {
  const before = folderState(dirname(file));
  for (const mode of ['write', 'read'] as const) {
    const refused = (): unknown => openDatabase(journal(file, { ...SHORT, ...options, mode }));
    expect(refused).toThrow(SqliteFileError);
    expect(refused).toThrow(message);
    expect(folderState(dirname(file))).toEqual(before);
  }
}

interface Case {
  readonly name: string;
  /** Damages the files of a killed database. */
  readonly damage: (file: string) => void;
  /** The error message, or the number of entries if the database opens. */
  readonly expected: RegExp | number;
}

const CASES: readonly Case[] = [
  { name: 'nothing', damage: () => undefined, expected: 60 },
  { name: 'a missing database', damage: (file) => rmSync(file), expected: /its database is missing or empty/ },
  { name: 'an empty database', damage: (file) => truncateSync(file, 0), expected: /its database is missing or empty/ },
  {
    name: 'a missing database without control file',
    damage: (file) => [file, control(file)].forEach((one) => rmSync(one)),
    expected: /its database is missing or empty/,
  },
  { name: 'a short database', damage: (file) => truncateSync(file, 4096), expected: /was cut short: 1 pages of/ },
  {
    name: 'a database that lacks a page of the log',
    damage: (file) => truncateSync(file, statSync(file).size - 100),
    expected: 60,
  },
  {
    name: 'the database of another journal',
    damage: (file) => copyFileSync(closed(20, 1), file),
    expected: /the database is not the one that the log was written for/,
  },
  {
    name: 'an older copy of the database',
    damage: (file) => writeFileSync(file, earlyCopy(file)),
    expected: /the database is not the one that the log was written for/,
  },
  {
    name: 'the log of another journal',
    damage: (file) => copyFileSync(wal(killed(5, 5)), wal(file)),
    expected: /it belongs to another database or another session/,
  },
  {
    name: 'the log of another journal without control file',
    damage: (file) => {
      copyFileSync(wal(killed(5, 5)), wal(file));
      rmSync(control(file));
    },
    expected: /log .* cannot be used: there is no control file/,
  },
  {
    name: 'the control file of another journal',
    damage: (file) => copyFileSync(control(killed(5, 5)), control(file)),
    expected: /it belongs to another database or another session/,
  },
  { name: 'a missing log', damage: (file) => rmSync(wal(file)), expected: /it is missing or empty/ },
  { name: 'an empty log', damage: (file) => truncateSync(wal(file), 0), expected: /it is missing or empty/ },
  {
    name: 'a log without frames',
    damage: (file) => truncateSync(wal(file), 32),
    expected: /it has 0 of \d+ committed/,
  },
  {
    name: 'a log of other content',
    damage: (file) => writeFileSync(wal(file), 'x'.repeat(9000)),
    expected: /its header is damaged/,
  },
  { name: 'a missing control file', damage: (file) => rmSync(control(file)), expected: 60 },
  { name: 'a damaged control file', damage: (file) => writeFileSync(control(file), '{'), expected: 60 },
  {
    name: 'a missing log without control file',
    damage: (file) => [wal(file), control(file)].forEach((one) => rmSync(one)),
    expected: 40,
  },
  {
    name: 'no file',
    damage: (file) => ['', '-wal', '-control'].forEach((suffix) => rmSync(file + suffix)),
    expected: 0,
  },
  {
    name: 'nothing but a control file',
    damage: (file) => [file, wal(file)].forEach((one) => rmSync(one)),
    expected: /is missing or empty, but its control file/,
  },
  {
    name: 'a damaged index of the log',
    damage: (file) => writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 7)),
    expected: 60,
  },
];

describe('a killed database with', () => {
  test.each(CASES)('$name', ({ damage, expected }) => {
    const file = killed();
    damage(file);
    if (typeof expected === 'number') {
      const database = open(file);
      expect(entriesOf(database)).toBe(expected);
      database.close();
      expect(readdirSync(dirname(file)).sort()).toEqual([
        'journal.sqlite',
        'journal.sqlite-control',
        'journal.sqlite.lock',
      ]);
      expect(open(file).isCleanStop).toBe(true);
    } else {
      expectRefused(file, expected);
    }
  });

  test('rejects a missing or damaged control file if a command adopts the database', () => {
    for (const damage of [() => undefined, (path: string) => writeFileSync(path, 'database control 1')]) {
      const file = killed();
      rmSync(control(file));
      damage(control(file));
      const before = folderState(dirname(file));
      const refused = (): unknown => open(file, { adoptCommand: 'program adopt' });
      expect(refused).toThrow(/was copied or replaced: .*control file.*run: program adopt .*journal\.sqlite/);
      expect(folderState(dirname(file))).toEqual(before);
    }
  });
});

describe('each part of the log of a killed database', () => {
  const FRAME = 24 + 4096;

  /** Expects that a reader reports the log, or sees every commit. @returns whether it reports the log */
  function expectReported(file: string): boolean {
    try {
      const database = openDatabase(journal(file, { ...SHORT, mode: 'read' }));
      expect(entriesOf(database)).toBe(13);
      database.close();
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(WrongLog);
      return true;
    }
  }

  test('is rejected with a flipped bit, or the bit is irrelevant', () => {
    const file = killed(5, 8);
    const log = readFileSync(wal(file));
    const frames = (log.length - 32) / FRAME;
    const ofFrame = [2, 6, 9, 13, 17, 21, 24, 100, 2000, FRAME - 20, FRAME - 1];
    const places = [
      ...Array.from({ length: 32 }, (_, at) => at),
      ...Array.from({ length: frames }, (_, frame) => ofFrame.map((at) => 32 + frame * FRAME + at)).flat(),
    ];
    let refused = 0;
    for (const place of places) {
      const flipped = Buffer.from(log);
      flipped[place] = (flipped[place] ?? 0) ^ 4;
      writeFileSync(wal(file), flipped);
      refused += Number(expectReported(file));
    }
    expect(refused).toBe(places.length);
  });

  test('is rejected if the log ends there', () => {
    const file = killed(5, 8);
    const log = readFileSync(wal(file));
    for (let length = log.length - 1; length > 0; length -= FRAME / 4) {
      writeFileSync(wal(file), log.subarray(0, length));
      expect(expectReported(file)).toBe(true);
    }
  });

  test('is rejected if it is the frame of an earlier round', () => {
    const file = fresh('journal.sqlite');
    const database = open(file);
    add(database, 10);
    const early = readFileSync(wal(file));
    database.connection.pragma('wal_checkpoint(PASSIVE)');
    add(database, 3);
    const late = readFileSync(wal(file));
    const left = `${mkdtempSync(`${dirname(file)}-`)}/journal.sqlite`;
    for (const suffix of ['', '-control']) copyFileSync(file + suffix, left + suffix);
    writeFileSync(wal(left), Buffer.concat([late.subarray(0, 32), early.subarray(32)]));
    expect(expectReported(left)).toBe(true);
    writeFileSync(wal(left), early);
    expectRefused(left, /it is older than the control file/);
    rmSync(dirname(left), { recursive: true });
  });
});

describe('a database that was closed in order', () => {
  test('is rejected if its file is truncated', () => {
    const file = closed(10);
    truncateSync(file, statSync(file).size - 4096);
    expectRefused(file, /was cut short: \d+ pages of \d+ are there/);
  });

  test('is rejected with a log of another database, also with one commit', () => {
    for (const entries of [0, 1, 10]) {
      const file = closed(10);
      copyFileSync(wal(killed(5, entries)), wal(file));
      expectRefused(file, /it belongs to another database or another session/);
    }
  });

  test('is rejected if an older copy, or another database, replaced it', () => {
    const file = closed(10);
    const early = readFileSync(file);
    const database = open(file);
    add(database, 1);
    database.close();
    writeFileSync(file, early);
    const options = { adoptCommand: 'program adopt' };
    expectRefused(file, /the database is older than the control file/, options);
    copyFileSync(closed(5), file);
    expectRefused(file, /the control file belongs to another database/, options);
  });

  test.each([
    ['the database is not the one that the log was written for', 4 * 1024 * 1024],
    // A log of a later round does not have the page with the session number: the first round copied it into the file.
    ['the control file is older than the database', 8 * 4096],
  ])('is rejected with the log and the control file of an earlier session: %s', (reason, checkpointAt) => {
    const file = closed(40);
    const settings = { checkpointAt };
    const killedSession = open(file, { settings });
    add(killedSession, 40);
    const left = crashed(file, fresh('left'));
    killedSession.close();
    const later = open(file);
    add(later, 10);
    later.close();
    copyFileSync(file, left);
    expectRefused(left, new RegExp(reason), { settings });
  });

  test('is rejected if its control file is older', () => {
    const file = closed(5);
    const early = readFileSync(control(file));
    open(file).close();
    open(file).close();
    writeFileSync(control(file), early);
    expectRefused(file, /the control file is older than the database/, { adoptCommand: 'program adopt' });
  });
});

describe('an earlier log of the same session', () => {
  /** Copies of the files after each commit of a session with several rounds and a truncated log, and after its stop. */
  function moments(): { copies: string[]; last: string } {
    const file = fresh('journal.sqlite');
    const database = open(file, { settings: { checkpointAt: 4 * 4096 } });
    const copies: string[] = [];
    for (let commit = 1; commit <= 16; commit++) {
      add(database, 1);
      copies.push(crashed(file, fresh('left')));
      if (commit === 8) database.cutLog();
    }
    database.close();
    return { copies, last: crashed(file, fresh('left')) };
  }

  /** Replaces the log of a database. @returns the entries of the database; undefined if it is rejected */
  function entriesBeside(file: string, log: string): number | undefined {
    const copy = crashed(file, fresh('mixed'));
    copyFileSync(wal(log), wal(copy));
    try {
      const database = open(copy);
      const entries = entriesOf(database);
      database.close();
      return entries;
    } catch (error) {
      expect(error).toBeInstanceOf(WrongLog);
      return undefined;
    }
  }

  test('is rejected with the files of a later one, or is complete', () => {
    const { copies, last } = moments();
    const rounds = new Set(copies.map((copy) => scanLog({ file: copy, title: 'journal' })?.round));
    expect(rounds.size).toBeGreaterThan(3);
    let refused = 0;
    for (const [later, file] of [...copies, last].entries()) {
      const committed = Math.min(later + 1, copies.length);
      for (const log of copies.slice(0, later)) {
        const entries = entriesBeside(file, log);
        if (entries === undefined) refused++;
        else expect([later, entries]).toEqual([later, committed]);
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});

test('a header that reserves another number of bytes for checksums is damage', () => {
  const file = closed(5);
  const bytes = readFileSync(file);
  bytes[20] = 0;
  writeFileSync(file, bytes);
  expectRefused(file, /page 1 reserves 0 bytes instead of 8/);
});

test('a damaged page with the header or the id is damage, not another database', () => {
  for (const place of [60, 68, 4096 + 4096 - 30]) {
    const file = closed(5);
    const bytes = readFileSync(file);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expectRefused(file, /page [12] does not fit its checksum/);
  }
});

describe('a killed database with a damaged page 1 is rejected also because of', () => {
  /** A killed database whose log has three commits, but not page 1. */
  function killedWithBadPage(): string {
    const running = closed(5);
    const database = open(running);
    const update = database.connection.prepare('UPDATE entries SET length = ? WHERE id = 1');
    for (const length of [1, 2, 3]) {
      update.run(length);
      database.committed();
    }
    const file = crashed(running, fresh('left'));
    const bytes = readFileSync(file);
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    return file;
  }

  test.each([
    [
      'a log of another database',
      (file: string) => copyFileSync(wal(killed(5, 0)), wal(file)),
      /it belongs to another database or another session.* page 1 does not fit its checksum/,
    ],
    ['a missing log', (file: string) => rmSync(wal(file)), /it is missing or empty.* page 1 does not fit/],
    [
      'a truncated log',
      (file: string) => truncateSync(wal(file), statSync(wal(file)).size - 1),
      /it has \d+ of \d+ committed frames.* page 1 does not fit/,
    ],
    [
      'a missing control file',
      (file: string) => rmSync(control(file)),
      /log .* cannot be used: there is no control file.* page 1 does not fit/,
    ],
  ])('%s', (_which, damage, expected) => {
    const file = killedWithBadPage();
    damage(file);
    expectRefused(file, expected);
  });

  test('nothing else if the log is valid', () => {
    expectRefused(killedWithBadPage(), /is not the journal it should be: .* page 1 does not fit its checksum/);
  });
});

test('reports a folder in place of the log, the control file or the database', () => {
  for (const suffix of ['-wal', '-control', '']) {
    const file = closed(5);
    rmSync(file + suffix, { force: true });
    mkdirSync(file + suffix);
    expect(() => open(file, { adoptCommand: 'program adopt' })).toThrow(SqliteFileError);
    expect(existsSync(file + suffix)).toBe(true);
  }
});

test('a control file that cannot be written leaves no file beside it', () => {
  const file = closed(5);
  rmSync(control(file));
  // A rename to this name fails, as on a full disk.
  mkdirSync(control(file));
  expect(() => open(file)).toThrow(SqliteFileError);
  expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.new'))).toEqual([]);
});

describe('a missing database with a control file is rejected, not created again', () => {
  const message = /the journal .* is missing or empty, but its control file .*-control is there/;

  test.each<[string, (file: string) => void]>([
    ['removed', (file) => rmSync(file)],
    ['emptied', (file) => truncateSync(file, 0)],
    [
      'a link to nowhere',
      (file) => {
        rmSync(file);
        symlinkSync(`${file}-unmounted`, file);
        renameSync(control(file), control(`${file}-unmounted`));
      },
    ],
  ])('%s', (_how, damage) => {
    const file = closed(5);
    damage(file);
    const before = readdirSync(dirname(file));
    expect(() => open(file)).toThrow(message);
    expect(readdirSync(dirname(file))).toEqual(before);
  });

  test('without the control file a new database is created', () => {
    const file = closed(5);
    rmSync(file);
    rmSync(control(file));
    expect(entriesOf(open(file))).toBe(0);
  });
});

test('a named pipe in place of the control file does not block an open', () => {
  const file = closed(5);
  rmSync(control(file));
  execFileSync('mkfifo', [control(file)]);
  expect(() => open(file, { adoptCommand: 'program adopt' })).toThrow(/the control file is damaged/);
});
