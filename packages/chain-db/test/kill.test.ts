import { cleanUp } from './support/directories';
import { killPruner, killWriter } from './support/kills';

afterEach(cleanUp);

test('is intact after a kill during a write, at a committed height', async () => {
  await killWriter('usual', [1, 7, 25]);
});

test('is intact after a kill during a merge of the hash index, and continues the merge', async () => {
  await killWriter('small', [3, 30, 11]);
});

test('a lite database is intact after a kill, below its lite height and above', async () => {
  await killWriter('small', [12, 18], { lite: 150 });
});

test('after a kill during pruning it opens like after a clean stop, and continues', async () => {
  expect(await killPruner([6, 11])).toBeGreaterThan(0);
});
