import { RecentHashes } from '../../src/p2p/hashes';
import { sha256 } from './fakes';

const hash = (number: number): Buffer => sha256(Buffer.from(String(number)));

test('recent hashes drop the oldest', () => {
  const recent = new RecentHashes(2);
  expect([1, 2, 1, 3].map((number) => recent.add(hash(number)))).toEqual([true, true, false, true]);
  expect([1, 2, 3].map((number) => recent.has(hash(number)))).toEqual([false, true, true]);
});
