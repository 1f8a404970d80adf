import { SqliteConnection } from '@wrkz/sqlite';

/** Adds about this many bytes of empty pages to a closed database. */
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
