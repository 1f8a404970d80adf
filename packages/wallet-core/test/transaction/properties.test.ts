import fc from 'fast-check';
import { anySend, checkSend } from './check-send';
import { devnet, easyMainnet } from './support';

/* Every send at every height is accepted by the pool and the next block template, and no amount is lost. */

const DEVNET_AGES = [1, 2, 3, 10, 30, 43, 54, 65, 67, 68, 77, 80, 83, 86, 100, 112, 120, 150, 430];

test.each(DEVNET_AGES)('next to height %d of devnet the pool and the next block accept any send', async (age) => {
  for (const height of [age - 1, age, age + 1].filter((height) => height >= 1)) {
    for (const any of fc.sample(anySend, { seed: height, numRuns: 1 })) await checkSend(devnet, height, any);
  }
});

const AGES = [
  10_000, 100_000, 128_800, 302_400, 400_000, 430_000, 543_000, 543_040, 600_000, 658_500, 678_500, 678_501, 678_502,
  777_777, 800_000, 832_000, 864_864, 1_000_000, 1_123_000, 1_123_101, 1_200_000, 1_500_000, 4_300_000, 4_500_000,
];

test.each(AGES)('next to height %d of mainnet the pool and the next block accept any send', async (age) => {
  for (const height of [age - 2, age - 1, age, age + 1, age + 2]) {
    for (const any of fc.sample(anySend, { seed: height, numRuns: 2 })) await checkSend(easyMainnet, height, any);
  }
});

test('the pool and the next block accept any send at any height of mainnet', async () => {
  const height = fc.integer({ min: 3, max: 5_000_000 });
  await fc.assert(
    fc.asyncProperty(height, anySend, (at, any) => checkSend(easyMainnet, at, any)),
    { numRuns: 60 },
  );
});
