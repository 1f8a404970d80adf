import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { databaseFile, verifyChain } from '../src';
import { PAGE_SIZE } from '../src/schema';
import { chainA } from './support/chain-a';
import { makeCoinbaseChain } from './support/coinbase-chain';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { pagesByTable } from './support/flips';
import { pruneTo } from './support/modes';
import { killRepairs } from './support/repair-kills';
import { copyOf, findings, flip, noPeer, peerWith, repair } from './support/repairs';
import { contents } from './support/tables';

afterEach(cleanUp);

const HEIGHT = 300;
/** A chain of this length has its digests on two leaf pages. */
const DIGESTS_ON_TWO_PAGES = 22_000;

function closedChain(mode: 'full' | 'pruned' | 'lite'): string {
  const db = openHere({ directory: freshDirectory(), lite: mode === 'lite' ? 150 : undefined });
  writerOf(db).append(chainA().slice(0, HEIGHT + 1));
  if (mode === 'pruned') pruneTo(db, 150);
  db.close();
  return db.directory;
}

test.each(['full', 'pruned', 'lite'] as const)(
  '100 single flipped bits in a %s database are all found and repaired',
  async (mode) => {
    const directory = closedChain(mode);
    const sound = await verifyChain({ directory, network: 'devnet' });
    const pages = statSync(databaseFile(directory)).size / PAGE_SIZE;
    const { fetch } = peerWith(chainA());
    for (let i = 0; i < 100; i++) {
      const copy = copyOf(directory);
      // Every tenth bit is in the header of the file, which random bits would rarely hit.
      const bit = i % 10 === 0 ? randomInt(100 * 8) : randomInt(pages * PAGE_SIZE * 8);
      flip(copy, bit);
      const { problems } = await findings(copy);
      expect({ bit, found: problems.length > 0 }).toEqual({ bit, found: true });
      const report = await repair(copy, fetch).catch((error: unknown) => ({ outcome: String(error), dropped: 0 }));
      if (mode !== 'full' && report.outcome.includes('NeedsWholeChain')) continue;
      expect({ bit, outcome: report.outcome }).toEqual({
        bit,
        outcome: expect.stringMatching(/^(pages repaired|rebuilt)$/),
      });
      const after = await verifyChain({ directory: copy, network: 'devnet' });
      expect({ bit, problems: after.problems }).toEqual({ bit, problems: [] });
      if ('dropped' in report && report.dropped === 0) expect({ bit, after }).toEqual({ bit, after: sound });
    }
  },
  3_600_000,
);

test('after 100 kills at random moments it continues or starts over, and the digests are equal', async () => {
  const directory = closedChain('full');
  const page = (pagesByTable(directory).get('outputs') ?? []).at(-1) ?? 0;
  const lines = Array.from({ length: 100 }, () => randomInt(20));
  await killRepairs(directory, page * PAGE_SIZE * 8 - 333, lines, () => Math.random());
});

test('of many pages of digests, the last one gets its first digest, and each other one all of its digests', async () => {
  const db = openHere();
  writerOf(db).append(makeCoinbaseChain(DIGESTS_ON_TWO_PAGES));
  while (writerOf(db).digestStep(1_000) <= db.reader.height());
  const { directory } = db;
  const digests = contents(db)['rules_digests'];
  db.close();
  const [, first, last] = pagesByTable(directory).get('rules_digests') ?? [];
  flip(directory, first! * PAGE_SIZE * 8 - 333);
  flip(directory, last! * PAGE_SIZE * 8 - 333);
  expect(await repair(directory, noPeer)).toMatchObject({ outcome: 'pages repaired', pages: 2 });
  const again = openHere({ directory });
  expect(contents(again)['rules_digests']?.length).toBeGreaterThan(200);
  while (writerOf(again).digestStep(1_000) <= again.reader.height());
  expect(contents(again)['rules_digests']).toEqual(digests);
});
