/**
 * `repair.ts <directory>`: repairs a chain database with blocks of chain A, and prints its progress and the outcome.
 * Tests kill it at any time.
 */
import { repairChainDb } from '../../src';
import { chainA } from '../support/chain-a';
import { peerWith } from '../support/repairs';

const [directory = ''] = process.argv.slice(2);
const { fetch } = peerWith(chainA());
console.log('begun');
let last = '';
void repairChainDb({
  directory,
  network: 'devnet',
  fetch,
  onProgress: (step, done) => {
    const place = `${step} ${Math.floor(done / 100)}`;
    if (place !== last) process.stdout.write(`${(last = place)}\n`);
  },
}).then(({ outcome }) => console.log(outcome));
