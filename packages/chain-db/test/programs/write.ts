/**
 * `write.ts <directory> [small] [lite height]`: appends and rewinds chain A in an endless loop, a few blocks per commit, and
 * prints the height after each commit. With `small` the hash index has short runs, which are merged often.
 * Runs until it is killed.
 */
import { openChainDb } from '../../src';
import { chainA } from '../support/chain-a';
import { SHORT_RUNS } from '../support/small-runs';

const [directory = '', runs, lite] = process.argv.slice(2);
const blocks = chainA();
const { reader, writer } = openChainDb({
  directory,
  network: 'devnet',
  lite: lite === undefined ? undefined : Number(lite),
  ...(runs === 'small' ? { hashIndex: SHORT_RUNS } : {}),
});
if (writer === undefined) throw new Error('not open for writing');
if (reader.height() < 0) writer.append(blocks.slice(0, 1));
console.log('open');
for (let round = 0; ; round++) {
  const height = reader.height();
  if (height + 8 >= blocks.length) writer.rewindTo(200);
  else if (round % 5 === 4 && height - 3 >= Number(lite ?? 0))
    writer.switchBranch(height - 3, blocks.slice(height - 2, height + 3), true);
  else writer.append(blocks.slice(height + 1, height + 8));
  process.stdout.write(`${reader.height()}\n`);
}
