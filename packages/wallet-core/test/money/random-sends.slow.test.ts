import { Campaign } from './support/random-sends';

/*
 * The whole campaign: WRKZ_SENDS (default 2,000) sends between ten wallets over WRKZ_BLOCKS (default 300) blocks, with a
 * reorganisation every 12 blocks and a restart every 30. WRKZ_SEED repeats the choices of a run.
 */

const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);
const sends = Number(process.env['WRKZ_SENDS'] ?? 2_000);
const blocks = Number(process.env['WRKZ_BLOCKS'] ?? 300);

const reorganisations = Math.ceil(blocks / 12);
const restarts = Math.ceil(blocks / 30);
const campaign = new Campaign({
  ...{ seed, wallets: 10, sends, blocks, reorganisations, restarts, funding: 240, oldNodeOf: 2 },
  report: (text) => process.stderr.write(`${text}\n`),
});
afterAll(() => campaign.stop());

test(`${String(sends)} random sends over ${String(blocks)} blocks, seed ${String(seed)}`, async () => {
  const began = performance.now();
  await campaign.begin();
  await campaign.run();
  console.log(JSON.stringify({ seed, minutes: (performance.now() - began) / 60_000, ...campaign.counts }));
  expect(campaign.counts.sent).toBeGreaterThanOrEqual(sends);
  expect(campaign.counts).toMatchObject({ reorganisations, restarts });
});
