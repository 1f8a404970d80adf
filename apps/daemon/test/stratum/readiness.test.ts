import { isReadyToMine } from '../../src/stratum/server';

const peers = (synchronized: boolean, observed: number) => ({
  isSynchronized: () => synchronized,
  observedHeight: () => observed,
});

test.each<[string, boolean, number, number, boolean]>([
  ['knows of nobody, and never did', false, 0, 0, true],
  ['knows of peers that are further', false, 5, 3, false],
  ['stands where its peers stand', false, 5, 4, true],
  ['is further than they are', false, 5, 9, true],
  ['was synchronized once, and sees others further for a moment', true, 1_000, 4, true],
])('a node that %s', (_, synchronized, observed, height, ready) => {
  expect(isReadyToMine(peers(synchronized, observed), height)).toBe(ready);
});
