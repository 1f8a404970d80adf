import { cleanUp } from './support/directories';
import { killCompactions, killRewinds } from './support/upkeep-kills';

afterEach(cleanUp);

test('a rewind that is killed has happened or has not', async () => {
  await killRewinds([20, 60]);
}, 60_000);

test('a compaction in steps that is killed leaves the chain as it was, and goes on', async () => {
  expect(await killCompactions([30, 90])).toBeGreaterThan(0);
}, 60_000);
