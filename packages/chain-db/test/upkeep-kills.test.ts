import { cleanUp } from './support/directories';
import { killCompactions, killRewinds } from './support/upkeep-kills';

afterEach(cleanUp);

test('a killed rewind is complete or absent', async () => {
  await killRewinds([20, 60]);
});

test('a killed compaction leaves the state digest unchanged, and the next one continues', async () => {
  expect(await killCompactions([30, 90])).toBeGreaterThan(0);
});
