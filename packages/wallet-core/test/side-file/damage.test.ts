import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { openDatabase, WrongSchemaVersion } from '@wrkz/sqlite';
import fc from 'fast-check';
import { sideFileOptions } from '../../src/side-file/schema';
import { SideFile, sideFileName } from '../../src/side-file/side-file';
import { fresh, removeFolders } from '../support/folder';

afterEach(removeFolders);

/** Where a database holds its schema version. */
const VERSION_BYTES = [60, 61, 62, 63];

const options = { wallet: 'w', expected: undefined, now: 1 };

/** A side file with something in every table. */
function written(walletFile: string): Buffer {
  const side = SideFile.open({ ...options, walletFile });
  for (let i = 0; i < 50; i++) {
    const key = { owner: '', key: `key ${String(i)}` };
    side.answers.begin(key, 'body', i);
    side.answers.sending(key, { hash: String(i), sealed: Buffer.alloc(500, i) });
    side.spending.reserve(key.key, i, 5n, 9n);
  }
  side.close();
  return readFileSync(sideFileName(walletFile));
}

/** Opens it; whatever state it is in, a wallet must not stay closed for it. */
function opens(walletFile: string): void {
  const side = SideFile.open({ ...options, walletFile });
  expect(side.identity.wallet).toBe('w');
  side.close();
}

test('a side file with a changed byte opens or is set aside, wherever that byte is', () => {
  const walletFile = fresh('a.wallet');
  const whole = written(walletFile);
  const file = sideFileName(walletFile);
  fc.assert(
    fc.property(fc.oneof(fc.nat(200), fc.nat(whole.length - 1)), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      for (const ending of ['-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
      writeFileSync(file, bytes);
      try {
        opens(walletFile);
      } catch (error) {
        // With another schema version it is a newer program's, for all that can be told.
        if (!VERSION_BYTES.includes(at)) throw error;
        expect(error).toBeInstanceOf(WrongSchemaVersion);
      }
    }),
    {
      numRuns: 60,
      examples: [
        [60, 1],
        [63, 2],
        [68, 1],
        // One table less.
        [104, 1],
      ],
    },
  );
});

test.each([
  'side_file TEXT',
  'body_hash BLOB',
  'sealed BLOB',
  'amount TEXT',
  'count INTEGER',
  'intent TEXT',
  'details TEXT',
])('a table without the column "%s" is noticed when the file is opened, and not by the first payment', (column) => {
  const walletFile = fresh('a.wallet');
  const bytes = written(walletFile);
  const at = bytes.indexOf(column);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(sideFileName(walletFile), bytes);
  const side = SideFile.open({ ...options, walletFile });
  expect(side.identity.lost).toBe('damaged');
  side.close();
});

test('a side file that was cut opens or is set aside, wherever it was cut', () => {
  const walletFile = fresh('a.wallet');
  const whole = written(walletFile);
  const file = sideFileName(walletFile);
  for (let length = 0; length < whole.length; length += 1_365) {
    writeFileSync(file, whole);
    truncateSync(file, length);
    opens(walletFile);
  }
});

test.each(['answers', 'leaving', 'spending', 'delayed'])(
  'a page of %s that was zeroed is noticed: no payment is made on half a memory',
  (table) => {
    const walletFile = fresh('a.wallet');
    written(walletFile);
    const file = sideFileName(walletFile);
    const database = openDatabase(sideFileOptions(file, { wallet: 'w', since: 1, lost: undefined }));
    const [page, size] = [
      database.connection.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number,
      database.connection.pragma('page_size', { simple: true }) as number,
    ];
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0, (page - 1) * size, page * size);
    writeFileSync(file, bytes);
    const side = SideFile.open({ ...options, walletFile });
    expect(side.identity.lost).toBe('damaged');
    const key = { owner: '', key: 'key 1' };
    expect(side.answers.begin(key, 'body', 1)).toEqual({ kind: 'new' });
    side.answers.sending(key, { hash: 'a', sealed: Buffer.of(1) });
    side.close();
  },
);
