/**
 * `compact.ts <directory>`: compacts in the smallest possible steps, and appends a block of chain A after each step.
 * At the end it waits until it is killed.
 */
import { openChainDb } from '../../src';
import { chainA } from '../support/chain-a';

const [directory = ''] = process.argv.slice(2);
const blocks = chainA();
const { reader, writer } = openChainDb({ directory, network: 'devnet' });
if (writer === undefined) throw new Error('not open for writing');
console.log('open');
for (let done = false; !done;) {
  ({ done } = writer.compactStep(0));
  const next = blocks[reader.height() + 1];
  if (next !== undefined) writer.append([next]);
}
console.log('done');
process.stdin.resume();
