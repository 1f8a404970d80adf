import { SqliteConnection } from '@wrkz/sqlite';
import { structureOf } from './structure';

/**
 * `structure-process <file> <table> ...`: what SQLite's own check says of these tables, one JSON array of table and line a
 * finding. It is a program of its own because the check of a long table cannot be interrupted within a process.
 */
const [file = '', ...tables] = process.argv.slice(2);
const connection = new SqliteConnection(file, { readonly: true });
for (const table of tables) {
  for (const line of structureOf(connection, table)) process.stdout.write(`${JSON.stringify([table, line])}\n`);
}
connection.close();
