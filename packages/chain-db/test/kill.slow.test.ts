import { cleanUp } from './support/directories';
import { killPruner, killWriter } from './support/kills';

afterEach(cleanUp);

/** Part of the titles, so that a failure can be reproduced with WRKZ_SEED=<number>. */
const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);

function seeded(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`a hundred kills at random moments during merges of the hash index (WRKZ_SEED=${seed})`, async () => {
  const random = seeded(seed);
  const commits = Array.from({ length: 100 }, () => Math.floor(random() * 60));
  await killWriter('small', commits, { random });
});

test(`a hundred kills at random moments while a lite database grows (WRKZ_SEED=${seed})`, async () => {
  const random = seeded(seed + 1);
  const commits = Array.from({ length: 100 }, () => Math.floor(random() * 60));
  await killWriter('small', commits, { random, lite: 150 });
});

test(`a hundred kills at random moments of pruning (WRKZ_SEED=${seed})`, async () => {
  const random = seeded(seed + 2);
  const commits = Array.from({ length: 100 }, () => Math.floor(random() * 25));
  expect(await killPruner(commits, random)).toBeGreaterThan(20);
});
