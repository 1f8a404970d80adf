import { Campaign } from './support/random-sends';

/*
 * Wallets with files, two nodes, a reorganisation and a restart: at every height each balance equals the sum over the chain.
 * Every second wallet uses a node that responds like those of July 2025. The slow test has thousands of sends.
 */

const seed = Number(process.env['WRKZ_SEED'] ?? 20_261_122);
const campaign = new Campaign({
  seed,
  wallets: 5,
  sends: 11,
  blocks: 5,
  reorganisations: 1,
  restarts: 1,
  funding: 60,
  oldNodeOf: 2,
});
afterAll(() => campaign.stop());

test(`11 random sends over 5 blocks, seed ${String(seed)}`, async () => {
  await campaign.begin();
  await campaign.run();
  expect(campaign.counts).toMatchObject({ reorganisations: 1, restarts: 1 });
  expect(campaign.counts.sent).toBeGreaterThanOrEqual(11);
  expect(campaign.counts.sentAtOld).toBeGreaterThanOrEqual(4);
  expect(campaign.counts.checkedAtOld).toBeGreaterThanOrEqual(30);
});
