/** `hold.ts <directory>`: opens the database for writing, prints the result, and closes it when the input ends. */
import { FileLocked } from '@wrkz/sqlite';
import { openChainDb } from '../../src';

const [directory = ''] = process.argv.slice(2);
try {
  const db = openChainDb({ directory, network: 'devnet' });
  console.log('open');
  process.stdin.resume().once('end', () => {
    db.close();
    console.log('closed');
  });
} catch (error) {
  if (!(error instanceof FileLocked)) throw error;
  console.log(error.name);
  process.exitCode = 1;
}
