import { verifyChain } from '../src';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { copyOf, findings, flip, peerWith, repair } from './support/repairs';

afterAll(cleanUp);
const genesis = chainA().slice(0, 1);
const plan = (salt: number) => ({ salt, transactions: [{ amounts: [7, 900], inputs: 2, unlockTime: 60n }] });
const blocks = [...genesis, ...makeChain(Array.from({ length: 8 }, (_, i) => plan(i)), genesis)];
test('x', async () => {
  const db = openHere({ directory: freshDirectory() });
  writerOf(db).append(blocks);
  const sound = JSON.stringify(await verifyChain(db));
  db.close();
  const tally: Record<string, string[]> = {};
  const bits = (process.env['BITS'] ?? '').split(',').map(Number);
  const peer = peerWith(blocks);
  for (const bit of bits) {
    const copy = copyOf(db.directory);
    flip(copy, bit);
    const { problems } = await findings(copy);
    let outcome = 'unseen';
    if (problems.length > 0) {
      outcome = await repair(copy, peer.fetch).then(
        (r) => r.outcome + ('fetched' in r ? String(r.fetched) : ''),
        (e: unknown) => String((e as Error).stack).slice(0, 500),
      );
      if (outcome.startsWith('repaired')) {
        const after = JSON.stringify(await verifyChain({ directory: copy, network: 'devnet' }));
        if (after !== sound) outcome += ` DIFFERS ${after}`;
      }
      outcome += ` (${(problems[0] ?? '').slice(0, 90)})`;
    }
    (tally[outcome] ??= []).push(`${String(bit >> 3)}.${String(bit & 7)}`);
  }
  process.stderr.write(JSON.stringify(tally, null, 1));
}, 550_000);
