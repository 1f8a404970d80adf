import { SqliteConnection, type MigrationCursor } from '@wrkz/sqlite';
import { CorruptDatabase, databaseFile, verifyChain } from '../src';
import { HASH_INDEX_TABLES } from '../src/hash-index/schema';
import { takeOverLookUps } from '../src/migrations/look-ups';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { contents } from './support/tables';

afterEach(cleanUp);

/** Chain A with look-ups and key images as the first schema had them. */
function firstSchema(): { directory: string; edit(sql: string): void } {
  const directory = freshDirectory();
  const db = openHere({ directory });
  writerOf(db).append(chainA());
  db.close();
  const edit = (sql: string): void => {
    const connection = new SqliteConnection(databaseFile(directory));
    connection.exec(sql);
    connection.close();
  };
  edit(`
    CREATE TABLE old (image BLOB PRIMARY KEY, height INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO old SELECT image, height FROM key_images;
    DROP TABLE key_images;
    ALTER TABLE old RENAME TO key_images;
    ${HASH_INDEX_TABLES.map((table) => `DROP TABLE ${table};`).join('')}
    CREATE INDEX blocks_by_hash ON blocks (substr(hash, 1, 8));
    CREATE INDEX transactions_by_hash ON transactions (substr(hash, 1, 8));
  `);
  return { directory, edit };
}

/** Each batch in a transaction and on a connection of its own, as after a kill. */
function takeOver(directory: string): number {
  let batches = 0;
  for (let cursor: MigrationCursor | undefined, over = false; !over; batches++) {
    const connection = new SqliteConnection(databaseFile(directory));
    const { next } = connection.transaction(() => takeOverLookUps(connection, cursor)).immediate();
    connection.close();
    over = next === undefined;
    cursor = next;
  }
  return batches;
}

test('a file of the first schema gets its look-ups, and equals one that never had another', async () => {
  const { directory } = firstSchema();
  expect(takeOver(directory)).toBeGreaterThan(1);
  const db = openHere({ directory });
  const twin = openHere();
  writerOf(twin).append(chainA());
  expect(contents(db)).toEqual(contents(twin));
  const report = await verifyChain(db);
  expect(report.problems).toEqual([]);
  expect(report.digest).toBe((await verifyChain(twin)).digest);
});

test('a key image that no block spends is named as damage, and the old table is still there', () => {
  const { directory, edit } = firstSchema();
  edit('INSERT INTO key_images VALUES (zeroblob(32), 4)');
  expect(() => takeOver(directory)).toThrow(CorruptDatabase);
  edit('SELECT count(*) FROM first_key_images');
});
