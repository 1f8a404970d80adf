import { PlausibleHeight } from '../../src/wallet/chain-time';

/** Unix seconds and index of a synchronized wallet's tip. */
const NOW = 1_800_000_000;
const TIP = 4_500_000;
const atTip = (): PlausibleHeight => new PlausibleHeight({ height: TIP, timestamp: NOW });

test('grows by one block per 20 seconds above the anchor', () => {
  expect(atTip().at(NOW)).toBe(TIP + 60);
  expect(atTip().at(NOW + 1_200)).toBe(TIP + 120);
});

test('increases with blocks that are plausible in time, and accepts them again after a rewind', () => {
  const plausible = atTip();
  plausible.noteBlock({ height: TIP + 100, timestamp: NOW + 6_000 }, NOW + 6_000);
  expect(plausible.at(NOW + 6_000)).toBe(TIP + 160);
  // Read again from the start.
  plausible.noteBlock({ height: 1, timestamp: NOW - 60 * TIP }, NOW + 6_000);
  expect(plausible.at(NOW + 6_000)).toBe(TIP + 160);
});

test.each([
  ['of the past', 1_600_000_000],
  ['of now', NOW],
  ['of the future', NOW + 10_000_000],
])('forged blocks with timestamps %s do not raise it', (_, timestamp) => {
  const plausible = atTip();
  for (let height = TIP + 1; height <= TIP + 60; height++) plausible.noteBlock({ height, timestamp }, NOW);
  expect(plausible.at(NOW)).toBe(TIP + 60);
});

test('forged blocks above the tip do not count without the margin', () => {
  const plausible = atTip();
  for (let height = TIP + 1; height <= TIP + 60; height++) plausible.noteBlock({ height, timestamp: NOW }, NOW);
  expect(plausible.withoutMargin(NOW)).toBe(TIP);
  expect(plausible.withoutMargin(NOW + 60)).toBe(TIP + 3);
});

test('a timestamp in the future does not lower it later', () => {
  const plausible = atTip();
  plausible.noteBlock({ height: TIP + 1, timestamp: NOW + 10_000_000 }, NOW + 20);
  expect(plausible.at(NOW + 1_220)).toBeGreaterThanOrEqual(TIP + 120);
});
