/** `migrate.ts <file>`: opens the journal, which upgrades it, and prints a line while the migration runs and one after it. */
import { openDatabase } from '../../src';
import { HISTORY, journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
const migrations = HISTORY.map((migration, i): typeof migration => (connection) => {
  migration(connection);
  if (i === 2) {
    process.stdout.write('migrating\n');
    // Until the kill.
    if (process.argv[3] === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
});
openDatabase(journal(file, { migrations })).close();
process.stdout.write('up to date\n');
