/**
 * `read-long.ts <directory> <end>`: opens a read snapshot, waits for a byte on stdin, and then prints the SHA-256 of the
 * blocks below `end`.
 */
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { openChainDb } from '../../src';

const [directory = '', end] = process.argv.slice(2);
const db = openChainDb({ directory, network: 'devnet', readonly: true });
const { reader } = db;
reader.snapshot(() => {
  reader.tip();
  process.stdout.write('reading\n');
  readSync(0, Buffer.alloc(1));
  const hash = createHash('sha256');
  for (const { block, transactions } of reader.rawBlocks(0, Number(end))) {
    for (const bytes of [block, ...transactions]) hash.update(bytes);
  }
  process.stdout.write(`${hash.digest('hex')}\n`);
});
db.close();
