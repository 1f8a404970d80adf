import { killAtRandom, type KillBench, killBench, seeded } from './support/kills';

let bench: KillBench;
beforeAll(async () => {
  bench = await killBench();
});
afterAll(() => bench.close());

describe('after a kill at a random moment, the next start resumes without repair', () => {
  it('2 kills of an import', async () => {
    const { digests } = await killAtRandom(bench.ways[0], 2, seeded(1));
    expect([...digests]).toEqual([bench.twin]);
  });

  it('a kill of a synchronization', async () => {
    const { digests } = await killAtRandom(bench.ways[1], 1, seeded(2));
    expect([...digests]).toEqual([bench.twin]);
  });
});
