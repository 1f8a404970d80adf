/** `migrate.ts <file> [wait]`: upgrades the journal; prints a line during the migration, which `wait` blocks, and one after. */
import { openDatabase } from '../../src';
import { HISTORY, journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
const migrations = HISTORY.map((migration, i): typeof migration => (connection) => {
  migration(connection);
  if (i === 2) {
    process.stdout.write('migrating\n');
    // Blocks until the process is killed.
    if (process.argv[3] === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
});
openDatabase(journal(file, { migrations })).close();
process.stdout.write('up to date\n');
