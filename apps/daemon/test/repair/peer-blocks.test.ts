import { EventEmitter } from 'node:events';
import type { FetchedBlock } from '../../src/p2p/sync/objects';
import { PeerBlocks, type PeerSource } from '../../src/repair/peer-blocks';

const raw = { block: Buffer.alloc(1), transactions: [] };
const id = (height: number): Buffer => Buffer.alloc(32, height);
const wanted = (count: number) => Array.from({ length: count }, (_, height) => ({ height, id: id(height + 1) }));

type Peer = (ids: readonly Buffer[]) => Promise<readonly FetchedBlock[]>;

/** Peers by their numbers. Requests are recorded. */
class Peers extends EventEmitter implements PeerSource {
  readonly requests: { readonly peer: number; readonly count: number }[] = [];

  constructor(readonly peers: Map<number, Peer>) {
    super();
  }

  sessionIds(): number[] {
    return [...this.peers.keys()];
  }

  fetchBlocks(peer: number, ids: readonly Buffer[]): Promise<readonly FetchedBlock[]> {
    this.requests.push({ peer, count: ids.length });
    return (this.peers.get(peer) ?? (() => Promise.resolve([])))(ids);
  }
}

const hasAll: Peer = (ids) => Promise.resolve(ids.map((one) => ({ id: one, raw })));
const neverAnswers: Peer = () => new Promise(() => undefined);
const hasNothing: Peer = () => Promise.resolve([]);
/** Limits responses to this many blocks. */
const upTo =
  (limit: number): Peer =>
  (ids) =>
    hasAll(ids.slice(0, limit));

function fetcher(peers: Peers, patienceMs = 300_000): { blocks: PeerBlocks; stop: AbortController } {
  const stop = new AbortController();
  return { blocks: new PeerBlocks(peers, { patienceMs, signal: stop.signal }), stop };
}

test('continues at another peer if one does not respond', async () => {
  const peers = new Peers(
    new Map([
      [1, neverAnswers],
      [2, hasAll],
    ]),
  );
  const { blocks } = fetcher(peers);
  expect(await blocks.fetch(wanted(60))).toHaveLength(60);
  // The slow peer got one small request, and none afterwards.
  expect(peers.requests.filter(({ peer }) => peer === 1)).toHaveLength(1);
  expect(await blocks.fetch(wanted(20))).toHaveLength(20);
  expect(peers.requests.filter(({ peer }) => peer === 1)).toHaveLength(1);
});

test('requests more blocks at a time from a fast peer', async () => {
  const peers = new Peers(new Map([[1, hasAll]]));
  await fetcher(peers).blocks.fetch(wanted(200));
  const counts = peers.requests.map(({ count }) => count);
  expect(counts[0]).toBe(4);
  expect(Math.max(...counts)).toBe(50);
});

test('requests blocks beyond the limit of a response again', async () => {
  const peers = new Peers(new Map([[1, upTo(3)]]));
  expect(await fetcher(peers).blocks.fetch(wanted(30))).toHaveLength(30);
});

test('requests blocks only once from a peer that does not have them', async () => {
  const peers = new Peers(
    new Map([
      [1, hasNothing],
      [2, upTo(1)],
    ]),
  );
  expect(await fetcher(peers).blocks.fetch(wanted(12))).toHaveLength(12);
  expect(peers.requests.filter(({ peer }) => peer === 1).reduce((sum, { count }) => sum + count, 0)).toBeLessThan(13);
});

test('waits for another peer, and fails if none connects in time', async () => {
  const peers = new Peers(new Map([[1, hasNothing]]));
  const { blocks } = fetcher(peers);
  const fetching = blocks.fetch(wanted(5));
  await new Promise((resolve) => setImmediate(resolve));
  peers.peers.set(2, hasAll);
  peers.emit('connected');
  expect(await fetching).toHaveLength(5);
  expect(await fetcher(new Peers(new Map([[1, hasNothing]])), 1).blocks.fetch(wanted(5))).toEqual([]);
});

test('shares a peer between two concurrent calls, and both complete', async () => {
  const { blocks } = fetcher(new Peers(new Map([[1, hasAll]])));
  const fetched = await Promise.all([blocks.fetch(wanted(3)), blocks.fetch(wanted(60))]);
  expect(fetched.map(({ length }) => length)).toEqual([3, 60]);
});

test('aborts with its signal', async () => {
  const { blocks, stop } = fetcher(new Peers(new Map([[1, neverAnswers]])));
  const fetching = blocks.fetch(wanted(5));
  stop.abort();
  expect(await fetching).toEqual([]);
});
