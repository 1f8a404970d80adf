/**
 * `prune.ts <directory>`: appends chain A, prunes all but the last bodies in the smallest possible steps, and prints
 * height and floor after each commit. At the top it waits until it is killed.
 */
import { openChainDb } from '../../src';
import { chainA } from '../support/chain-a';

/** Retained bodies, and blocks per append. */
const DEPTH = 150;
const BATCH = 60;

const [directory = ''] = process.argv.slice(2);
const blocks = chainA();
const { reader, writer } = openChainDb({ directory, network: 'devnet' });
if (writer === undefined) throw new Error('not open for writing');
console.log('open');
const report = (): boolean => process.stdout.write(`${reader.height()} ${reader.floors().bodies}\n`);
for (let height = reader.height(); height + 1 < blocks.length; height = reader.height()) {
  // Completes the pruning that a kill has interrupted.
  while (!writer.pruneStep(Math.max(0, height + 1 - DEPTH), 0).done) report();
  writer.append(blocks.slice(height + 1, height + 1 + BATCH));
  report();
}
console.log('top');
process.stdin.resume();
