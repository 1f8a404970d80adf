import { SqliteConnection } from '@wrkz/sqlite';

/** Leaves empty pages in a database at rest, about so many bytes, as a long-lived one has them. */
export function addEmptyPages(file: string, bytes: number): void {
  const connection = new SqliteConnection(file);
  try {
    connection.exec('CREATE TABLE filler (bytes BLOB)');
    connection.exec(`INSERT INTO filler VALUES (zeroblob(${String(bytes)}))`);
    connection.exec('DROP TABLE filler');
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}
