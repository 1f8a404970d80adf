import { EventEmitter } from 'node:events';
import { type NodeEvent, NodeEvents } from '../src/events/node-events';
import { commit } from './support/pool';

const hash = (byte: number): Buffer => Buffer.alloc(32, byte);
const block = (height: number) => ({
  height,
  hash: hash(height),
  timestamp: 1000 + height,
  coinbaseHash: hash(0xc0),
  transactionHashes: [hash(0xaa)],
  keyImages: [],
});

function bench() {
  const chain = new EventEmitter();
  const pool = new EventEmitter();
  const errors: unknown[] = [];
  const events = new NodeEvents((error) => errors.push(error));
  events.followChain(chain);
  events.followPool(pool as never);
  const reported: NodeEvent[] = [];
  events.subscribe((event) => reported.push(event));
  return { chain, pool, events, errors, reported };
}

describe('NodeEvents', () => {
  it('emits one event per block, with the coinbase first, and whether the node was synchronizing', () => {
    const { chain, reported } = bench();
    chain.emit('commit', commit({ added: [block(4), block(5)], source: 'sync' }));
    chain.emit('commit', commit({ added: [block(6)], source: 'relay' }));
    expect(reported).toMatchObject([
      { kind: 'block', height: 4, catchingUp: true, transactionHashes: [hash(0xc0), hash(0xaa)] },
      { kind: 'block', height: 5, catchingUp: true },
      { kind: 'block', height: 6, catchingUp: false, timestamp: 1006 },
    ]);
  });

  it('emits a reorganisation as one event with its fork point, and side blocks unchanged', () => {
    const { chain, reported } = bench();
    const removed = [{ height: 4, hash: hash(1), transactions: [hash(2)] }];
    const fork = { forkHeight: 3, forkHash: hash(3) };
    chain.emit('commit', commit({ kind: 'switch', ...fork, added: [block(4), block(5)], removed }));
    chain.emit('commit', { kind: 'alternative', height: 9, hash: hash(9), tip: {} });
    expect(reported).toEqual([
      {
        kind: 'reorganisation',
        rootHeight: 3,
        rootHash: hash(3),
        added: [4, 5].map((height) => expect.objectContaining({ height })),
        removed: [{ height: 4, hash: hash(1) }],
      },
      { kind: 'alternative', height: 9, hash: hash(9) },
    ]);
  });

  it('emits additions and removals of the pool, and nothing if there are none', () => {
    const { pool, reported } = bench();
    pool.emit('added', { hash: hash(1), source: 'rpc' });
    pool.emit('removed', { hashes: [], reason: 'Outdated' });
    pool.emit('removed', { hashes: [hash(1)], reason: 'InBlock' });
    pool.emit('doubleSpend', { pooled: hash(1), refused: hash(2), keyImage: hash(3) });
    expect(reported).toEqual([
      { kind: 'pool-added', hash: hash(1) },
      { kind: 'pool-removed', hashes: [hash(1)], reason: 'InBlock' },
      { kind: 'double-spend', pooled: hash(1), refused: hash(2), keyImage: hash(3) },
    ]);
  });

  it('notifies the other listeners when one throws, and none after close', () => {
    const { chain, events, errors } = bench();
    const later: NodeEvent[] = [];
    events.subscribe(() => {
      throw new Error('out of order');
    });
    events.subscribe((event) => later.push(event));
    chain.emit('commit', commit({ added: [block(4)] }));
    expect(later).toHaveLength(1);
    expect(errors).toEqual([new Error('out of order')]);
    events.close();
    chain.emit('commit', commit({ added: [block(5)] }));
    expect(later).toHaveLength(1);
  });
});
