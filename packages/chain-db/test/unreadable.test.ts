import { SqliteConnection } from '@wrkz/sqlite';
import { CorruptDatabase, databaseFile, isUnreadableNow, openChainDb } from '../src';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';

/* Which errors mean that the chain is temporarily unreadable (docs/protocol/lessons.md#busy-for-every-error). */

afterEach(cleanUp);

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('a writer during its work does not make readers wait: they have their snapshot', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 50));
  const readonly = openChainDb({ directory: db.directory, network: 'devnet', readonly: true });
  const other = new SqliteConnection(databaseFile(db.directory), { timeout: 0 });
  try {
    other.exec('BEGIN EXCLUSIVE; DELETE FROM blocks WHERE height > 10; DELETE FROM transactions;');
    const { reader } = readonly;
    expect(reader.snapshot(() => [reader.tip().height, reader.rawBlocks(40, 60).length])).toEqual([49, 10]);
  } finally {
    other.close();
    readonly.close();
  }
});

test('a locked file is temporarily unreadable', () => {
  const db = openHere();
  const [one, two] = [1, 2].map(() => new SqliteConnection(databaseFile(db.directory), { timeout: 0 })) as [
    SqliteConnection,
    SqliteConnection,
  ];
  try {
    one.exec('BEGIN IMMEDIATE');
    expect(isUnreadableNow(thrownBy(() => two.exec('BEGIN IMMEDIATE')))).toBe(true);
  } finally {
    one.close();
    two.close();
  }
});

test('damage and programming errors are not temporary', () => {
  const malformed = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
  for (const error of [malformed, new CorruptDatabase('a row'), new TypeError('a bug'), undefined]) {
    expect(isUnreadableNow(error)).toBe(false);
  }
});
