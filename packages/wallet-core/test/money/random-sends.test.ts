import { Campaign } from './support/random-sends';

/*
 * Wallets on files, two nodes, a reorganisation and a restart: the money of each is what the chain says, at every height.
 * Every second wallet follows a node that answers as those of July 2025 do. Thousands of sends are in the slow test.
 */

// Of a machine that does much else; alone it takes half of one.

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
