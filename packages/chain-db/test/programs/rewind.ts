/** `rewind.ts <directory> <height>`: rewinds chain A to this height in one commit. */
import { openChainDb } from '../../src';

const [directory = '', height] = process.argv.slice(2);
const { writer } = openChainDb({ directory, network: 'devnet' });
if (writer === undefined) throw new Error('not open for writing');
process.stdout.write('open\n', () => {
  writer.rewindTo(Number(height));
  process.stdout.write('done\n');
  process.stdin.resume();
});
