/**
 * `migrate.ts <directory> [go]`: opens a database for writing and prints each step; the next one waits for a byte of input,
 * unless it is told to go. Once the database is open it waits to be killed.
 */
import { readSync } from 'node:fs';
import { openChainDb } from '../../src';

const [directory = '', go] = process.argv.slice(2);
if (go !== undefined) process.stdout.write('begin\n');
const db = openChainDb({
  directory,
  network: 'devnet',
  onProgress: ({ done }) => {
    process.stdout.write(`${done}\n`);
    if (go === undefined) readSync(0, Buffer.alloc(1));
  },
});
console.log('open');
// It stays open till then.
process.on('exit', () => db.close());
process.stdin.resume();
