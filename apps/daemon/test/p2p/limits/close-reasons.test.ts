import { closeReasons } from '../../../src/p2p/limits/close-reasons';

test('a reason that depends on our clock or our state costs no points, and only a checkpoint bans immediately', () => {
  const free = [
    'tooEarlyBlock',
    'orphans',
    'internalError',
    'memoryBudget',
    'syncStalled',
    'transactionsUnavailable',
    'refusedTransactions',
    'gaveWay',
    'evicted',
  ] as const;
  for (const name of free) expect(['none', 'avoid']).toContain(closeReasons[name].penalty);
  const bans = Object.entries(closeReasons).filter(([, reason]) => reason.penalty === 'ban');
  expect(bans.map(([name]) => name)).toEqual(['checkpointMismatch']);
  const points = Object.values(closeReasons).flatMap(({ penalty }) => (typeof penalty === 'number' ? [penalty] : []));
  expect(points.length).toBeGreaterThan(20);
  expect(Math.max(...points)).toBeLessThanOrEqual(50);
});
