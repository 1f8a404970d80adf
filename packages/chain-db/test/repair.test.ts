import { databaseFile, verifyChain } from '../src';
import { PAGE_SIZE } from '../src/schema';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { pagesByTable } from './support/flips';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';
import { copyOf, findings, flip, noPeer, peerWith, repair } from './support/repairs';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

afterAll(cleanUp);

const plan = (salt: number) => ({
  salt,
  transactions: [
    { amounts: [7, 900], inputs: 2, unlockTime: 60n },
    { amounts: [7], inputs: 1, paymentId: salt % 3 },
  ],
});
const genesis = chainA().slice(0, 1);
const blocks = [
  ...genesis,
  ...makeChain(
    Array.from({ length: 25 }, (_, i) => plan(i)),
    genesis,
  ),
];
const alternatives = makeChain([plan(50), plan(51)], blocks.slice(0, 24));

const MODES = {
  full: {},
  pruned: { prune: 15 },
  lite: { lite: 12 },
} as const;

async function made(mode: keyof typeof MODES): Promise<{ directory: string; sound: unknown }> {
  const { lite, prune }: { lite?: number; prune?: number } = MODES[mode];
  const db = openHere({ directory: freshDirectory(), lite });
  writerOf(db).append(blocks);
  for (const block of alternatives) writerOf(db).putAlternative(block);
  if (prune !== undefined) pruneTo(db, prune);
  const sound = await verifyChain(db);
  db.close();
  return { directory: db.directory, sound };
}

describe.each(['full', 'pruned', 'lite'] as const)('a %s database', (mode) => {
  test('a flipped bit in any table is mended', async () => {
    const { directory, sound } = await made(mode);
    const peer = peerWith(blocks);
    const tally: Record<string, string[]> = {};
    for (const [name, pages] of pagesByTable(directory)) {
      for (const [i, page] of pages.entries()) {
        for (const bit of [PAGE_SIZE * 8 - 333 - i]) {
          const copy = copyOf(directory);
          flip(copy, (page - 1) * PAGE_SIZE * 8 + bit);
          const { problems } = await findings(copy);
          let outcome: string;
          if (problems.length === 0) outcome = 'unseen';
          else
            outcome = await repair(copy, peer.fetch).then(
              (r) => r.outcome + ('fetched' in r ? String(r.fetched) : ''),
              (e: unknown) => String(e),
            );
          if (outcome.startsWith('repaired')) {
            const after = await verifyChain({ directory: copy, network: 'devnet' });
            if (JSON.stringify(after) !== JSON.stringify(sound)) outcome += ' DIFFERS ' + JSON.stringify(after);
          }
          process.stderr.write(`${mode} ${name} ${outcome} ${Date.now() % 1e6}\n`);
          (tally[`${outcome}`] ??= []).push(`${name}/${String(bit)}`);
        }
      }
    }
    console.log(mode, JSON.stringify(tally, null, 1));
  }, 300_000);
});
void [noPeer, existsSync, readFileSync, join, databaseFile];
