import { EventQueue, positionBefore } from '../../src/events/journal/queue';
import { FirstSync } from '../../src/events/journal/first-sync';
import type { NodeEvent } from '../../src/events/node-events';

const hash = (byte: number): Buffer => Buffer.alloc(32, byte);
const transaction = (byte: number): NodeEvent => ({ kind: 'pool-added', hash: hash(byte) });
const queued = (byte: number) => ({
  event: transaction(byte),
  time: 0,
  ready: true,
  before: { height: 0, hash: hash(0) },
});

describe('what waits to be written', () => {
  it('is given in order, and dropped as a whole when it is too much', () => {
    const queue = new EventQueue(3);
    for (const byte of [1, 2, 3]) queue.add(queued(byte));
    expect(queue.takeOverflow()).toBe(false);
    expect(queue.take().map(({ event }) => event)).toEqual([1, 2, 3].map(transaction));
    for (const byte of [1, 2, 3, 4, 5]) queue.add(queued(byte));
    expect(queue.size).toBe(0);
    expect([queue.takeOverflow(), queue.takeOverflow()]).toEqual([true, false]);
    queue.add(queued(6));
    expect(queue.take()).toHaveLength(1);
  });

  it('knows where the chain stood before', () => {
    const tip = { height: 9, hash: hash(9) };
    const block = { height: 9, hash: hash(9), previousHash: hash(8), timestamp: 0, transactionHashes: [] };
    const turn = { kind: 'reorganisation', rootHeight: 5, rootHash: hash(5), added: [block] } as const;
    expect(positionBefore({ kind: 'block', ...block, catchingUp: false }, tip)).toEqual({ height: 8, hash: hash(8) });
    expect(positionBefore({ ...turn, removed: [{ height: 6, hash: hash(66) }] }, tip)).toEqual({
      height: 6,
      hash: hash(66),
    });
    expect(positionBefore({ ...turn, removed: [] }, tip)).toEqual({ height: 5, hash: hash(5) });
    expect(positionBefore(transaction(1), tip)).toEqual(tip);
  });
});

describe('the first synchronization', () => {
  it('is over when it has once ended, or with a block as high as the peers are', () => {
    const peers = { synchronized: false, observed: 0, asked: 0 };
    const clock = { now: 0 };
    const status = {
      isSynchronized: () => peers.synchronized,
      observedHeight: () => ((peers.asked += 1), peers.observed),
    };
    const firstSync = new FirstSync(status, () => clock.now);
    expect(firstSync.isReady(100)).toBe(false); // without a peer nobody knows
    peers.observed = 100;
    expect(firstSync.isReady(100)).toBe(false); // as it was seen a moment ago
    clock.now += 1_000;
    expect([firstSync.isReady(98), firstSync.isReady(99)]).toEqual([false, true]);
    expect(peers.asked).toBe(2);
    peers.synchronized = true;
    expect(firstSync.isReady(0)).toBe(true);
  });
});
