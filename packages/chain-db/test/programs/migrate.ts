/** `migrate.ts <directory>`: opens a database for writing and prints each step; the next one waits for a byte of input. */
import { readSync } from 'node:fs';
import { openChainDb } from '../../src';

const [directory = ''] = process.argv.slice(2);
openChainDb({
  directory,
  network: 'devnet',
  onProgress: ({ done }) => {
    process.stdout.write(`${done}\n`);
    readSync(0, Buffer.alloc(1));
  },
});
console.log('open');
