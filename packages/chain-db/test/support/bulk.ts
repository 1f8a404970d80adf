import { SqliteConnection } from '@wrkz/sqlite';
import { databaseFile, type ChainDb } from '../../src';

/** Adds about this many bytes of free pages to the file, like those of a long-lived database. */
export function leaveEmptyPages(db: ChainDb, bytes: number): void {
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    connection.exec('CREATE TABLE bulk (id INTEGER PRIMARY KEY, text BLOB)');
    const insert = connection.prepare('INSERT INTO bulk (text) VALUES (zeroblob(65536))');
    connection.transaction(() => {
      for (let i = 0; i < bytes / 65_536; i++) insert.run();
    })();
    connection.exec('DROP TABLE bulk');
    // A log written by another connection has no mark of the writer.
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}
