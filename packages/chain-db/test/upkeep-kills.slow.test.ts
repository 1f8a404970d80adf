import { cleanUp } from './support/directories';
import { killCompactions, killRewinds } from './support/upkeep-kills';

afterEach(cleanUp);

const moments = (longest: number): number[] => Array.from({ length: 100 }, () => Math.random() * longest);

test('a hundred kills at random moments of a rewind', async () => {
  expect(await killRewinds(moments(150))).toBeGreaterThan(20);
});

test('a hundred kills at random moments of a compaction in steps', async () => {
  expect(await killCompactions(moments(400))).toBeGreaterThan(20);
});
