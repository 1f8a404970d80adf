import { EventQueue, positionBefore } from '../../src/events/journal/queue';
import { InitialSync } from '../../src/events/initial-sync';
import type { NodeEvent } from '../../src/events/node-events';

const hash = (byte: number): Buffer => Buffer.alloc(32, byte);
const transaction = (byte: number): NodeEvent => ({ kind: 'pool-added', hash: hash(byte) });
const alternative = (byte: number): NodeEvent => ({ kind: 'alternative', height: byte, hash: hash(byte) });
const block = (height: number): NodeEvent => ({
  kind: 'block',
  height,
  hash: hash(height),
  previousHash: hash(height - 1),
  timestamp: 0,
  transactionHashes: [],
  catchingUp: false,
});
const queued = (event: NodeEvent) => ({
  event,
  time: 0,
  ready: true,
  before: { height: 0, hash: hash(0) },
});

describe('the queue of the journal writer', () => {
  const kinds = (queue: EventQueue): string[] => queue.batch().map(({ event }) => event.kind);

  it('is written in order, and retried until it is written', () => {
    const queue = new EventQueue(3);
    for (const byte of [1, 2, 3]) queue.add(queued(transaction(byte)));
    const batch = queue.batch();
    expect(batch.map(({ event }) => event)).toEqual([1, 2, 3].map(transaction));
    expect(queue.batch()).toEqual(batch);
    queue.written(batch[1]?.number ?? 0);
    queue.add(queued(transaction(4)));
    expect(queue.batch().map(({ event }) => event)).toEqual([3, 4].map(transaction));
    expect([queue.takeDropped(), queue.lost]).toEqual([{ chain: false, pool: false }, 0]);
  });

  it('drops blocks when it is full, then pool events, then the oldest event that cannot be restored', () => {
    const queue = new EventQueue(4);
    for (const event of [block(1), alternative(1), block(2), block(3), transaction(1)]) queue.add(queued(event));
    expect(kinds(queue)).toEqual(['alternative', 'pool-added']);
    expect(queue.takeDropped()).toEqual({ chain: true, pool: false });
    for (const event of [alternative(2), transaction(2), alternative(3)]) queue.add(queued(event));
    expect(kinds(queue)).toEqual(['alternative', 'alternative', 'alternative']);
    expect([queue.takeDropped(), queue.takeDropped(), queue.lost]).toEqual([
      { chain: true, pool: true },
      { chain: false, pool: false },
      0,
    ]);
    for (const event of [alternative(4), alternative(5)]) queue.add(queued(event));
    expect(queue.batch().map(({ event }) => event)).toEqual([3, 4, 5].map(alternative));
    expect(queue.lost).toBe(2);
  });

  it('counts every event that cannot be restored as lost, of any kind', () => {
    const queue = new EventQueue(4);
    const damage: NodeEvent = { kind: 'damage', page: 1, table: undefined, heights: undefined, isRepaired: false };
    const branch = { kind: 'refused-branch', fork: 1, height: 2, hash: hash(2) } as unknown as NodeEvent;
    const spend: NodeEvent = { kind: 'double-spend', pooled: hash(1), refused: hash(2), keyImage: hash(3) };
    for (const event of [damage, branch, spend, alternative(1), transaction(1)]) queue.add(queued(event));
    expect(kinds(queue)).toEqual(['double-spend', 'alternative', 'pool-added']);
    expect([queue.takeDropped(), queue.lost]).toEqual([{ chain: true, pool: true }, 2]);
  });

  it('finds the start of a journal, although the first event was dropped', () => {
    const queue = new EventQueue(2);
    expect(queue.beginning()).toBeUndefined();
    queue.add({ ...queued(alternative(1)), ready: false });
    expect([queue.beginning(), queue.size]).toEqual([undefined, 0]);
    const before = { height: 4, hash: hash(4) };
    queue.add({ ...queued(block(5)), before });
    queue.add(queued(block(6)));
    queue.add(queued(block(7)));
    expect(queue.beginning()).toEqual(before);
    queue.begun();
    expect(queue.beginning()).toEqual(queued(block(7)).before);
  });

  it('finds the tip before the first queued event', () => {
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
  it('ends once it has completed, or with a block at the height of the peers', () => {
    const peers = { synchronized: false, observed: 0, requested: 0 };
    const clock = { now: 0 };
    const status = {
      isSynchronized: () => peers.synchronized,
      observedHeight: () => ((peers.requested += 1), peers.observed),
    };
    const initialSync = new InitialSync(status, () => clock.now);
    expect(initialSync.isOver(100)).toBe(false); // unknown without a peer
    peers.observed = 100;
    expect(initialSync.isOver(100)).toBe(false); // cached
    clock.now += 1_000;
    expect([initialSync.isOver(98), initialSync.isOver(99)]).toEqual([false, true]);
    expect(peers.requested).toBe(2);
    peers.synchronized = true;
    expect(initialSync.isOver(0)).toBe(true);
  });
});
