import { killAtRandom, type KillBench, killBench, seeded } from './support/kills';

let bench: KillBench;
beforeAll(async () => {
  bench = await killBench();
});
afterAll(() => bench.close());

/** Printed, so that a failure can be run again: WRKZ_SEED=<number>. */
const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);

describe(`kills at random moments (WRKZ_SEED=${String(seed)})`, () => {
  it('100 kills of an import', async () => {
    const { digests, inTheMiddle } = await killAtRandom(bench.ways[0], 100, seeded(seed));
    expect([...digests]).toEqual([bench.twin]);
    expect(inTheMiddle).toBeGreaterThan(10);
  });

  it('50 kills of a synchronization', async () => {
    const { digests, inTheMiddle } = await killAtRandom(bench.ways[1], 50, seeded(seed + 1));
    expect([...digests]).toEqual([bench.twin]);
    expect(inTheMiddle).toBeGreaterThan(10);
  });
});
