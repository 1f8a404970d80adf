import { SqliteConnection } from '@wrkz/sqlite';
import { databaseFile, type ChainDb } from '../../src';

/** Leaves empty pages within the file, about so many bytes, as a long-lived database has them. */
export function leaveEmptyPages(db: ChainDb, bytes: number): void {
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    connection.exec('CREATE TABLE bulk (id INTEGER PRIMARY KEY, text BLOB)');
    const insert = connection.prepare('INSERT INTO bulk (text) VALUES (zeroblob(65536))');
    connection.transaction(() => {
      for (let i = 0; i < bytes / 65_536; i++) insert.run();
    })();
    connection.exec('DROP TABLE bulk');
    // A log that another connection wrote has no mark of the writer.
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}
