/** `hold.ts <file>`: opens the journal for writing, prints the result, and closes it when the input ends. */
import { openDatabase, SqliteFileError } from '../../src';
import { journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
try {
  const database = openDatabase(journal(file));
  console.log('open');
  process.stdin.resume().once('end', () => database.close());
} catch (error) {
  if (!(error instanceof SqliteFileError)) throw error;
  console.log(error.name);
  process.exitCode = 1;
}
