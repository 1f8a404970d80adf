import { cleanUp } from './support/directories';
import { killPruner, killWriter } from './support/kills';

afterEach(cleanUp);

test('killed in mid-write it comes up sound, at a height that was committed', async () => {
  await killWriter('usual', [1, 7, 25]);
}, 60_000);

test('killed while look-ups are merged it comes up sound, and the merge goes on', async () => {
  await killWriter('small', [3, 30, 11]);
}, 60_000);

test('killed while a lite database grows it comes up sound, below its height and above', async () => {
  await killWriter('small', [12, 18], { lite: 150 });
}, 60_000);

test('killed while it is pruned it comes up as if it had stopped in order, and goes on', async () => {
  expect(await killPruner([6, 11])).toBeGreaterThan(0);
}, 60_000);
