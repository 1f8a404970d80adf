import { Campaign } from './support/random-sends';

/*
 * A stranger copies the output keys of payments and change into own transactions with other amounts, also during
 * reorganisations: every balance equals the sum over the chain, in which the largest output of a key counts, and a rescan
 * finds the same history. WRKZ_SEED repeats the choices of a run, WRKZ_BLOCKS is its length.
 */

const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);
const blocks = Number(process.env['WRKZ_BLOCKS'] ?? 30);
/** Blocks before the first send. The rules of devnet change several times until the end. */
const FUNDING = 60;
const reorganisations = Math.ceil(blocks / 3);
const campaign = new Campaign({
  ...{
    seed,
    wallets: 4,
    sends: 3 * blocks,
    copies: 3 * blocks,
    blocks,
    reorganisations,
    restarts: 0,
    funding: FUNDING,
  },
});
afterAll(() => campaign.stop());

test(`a stranger copies output keys over ${String(blocks)} blocks, seed ${String(seed)}`, async () => {
  await campaign.begin();
  await campaign.run();
  expect(campaign.counts).toMatchObject({ reorganisations, rescans: 4 });
  expect(campaign.counts.sent).toBeGreaterThanOrEqual(blocks);
  expect(campaign.counts.copies).toBeGreaterThanOrEqual(3 * blocks);
});
