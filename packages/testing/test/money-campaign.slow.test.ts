import { appendFileSync } from 'node:fs';
import { MoneyCampaign } from './money/campaign';

/* WRKZ_OPERATIONS is the number of operations, WRKZ_SEED selects them; WRKZ_REPORT is a file for a line about each. */

const operations = Number(process.env['WRKZ_OPERATIONS'] ?? 2_000);
const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);
const reportFile = process.env['WRKZ_REPORT'];

const report = (line: string): void => {
  if (reportFile !== undefined) appendFileSync(reportFile, `${line}\n`);
};
const campaign = new MoneyCampaign({ seed, operations, report });
afterAll(() => campaign.end());

test(`${String(operations)} random operations leave every balance equal to that of the blocks, and pay nothing twice (WRKZ_SEED=${String(seed)})`, async () => {
  try {
    await campaign.begin();
    await campaign.run();
  } catch (error) {
    report(campaign.logs());
    throw error;
  }
  process.stdout.write(`seed ${String(seed)}: ${JSON.stringify(campaign.counts, null, 1)}\n`);
});
