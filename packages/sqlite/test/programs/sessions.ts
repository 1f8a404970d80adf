/** `sessions.ts <file>`: opens and closes the journal in an endless loop, and prints the number of entries after each commit. */
import { openDatabase } from '../../src';
import { HISTORY, journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
for (;;) {
  const settings = { checkpointAt: 4 * 4096 };
  const database = openDatabase(
    journal(file, { migrations: HISTORY.slice(0, 2), adoptCommand: 'program adopt', settings }),
  );
  const insert = database.connection.prepare('INSERT INTO entries (text) VALUES (?)');
  const count = database.connection.prepare<[], number>('SELECT count(*) FROM entries').pluck();
  for (let i = 0; i < 5; i++) {
    insert.run('some text '.repeat(100));
    database.committed();
    process.stdout.write(`${String(count.get())}\n`);
    if (i === 2) database.cutLog();
  }
  database.close();
}
