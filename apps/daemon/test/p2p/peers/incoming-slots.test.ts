import { once } from 'node:events';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { BackPings, peerToEvict } from '../../../src/p2p/peers/incoming-slots';
import { AddressBudgets } from '../../../src/p2p/limits/address-budget';
import type { Session } from '../../../src/p2p/session/session';
import { sha256, toyChain } from '../fakes';
import { disguised, Harness } from '../harness';

interface Peer {
  readonly host: string;
  readonly startedAt: number;
  readonly latency?: number;
  readonly lastBlockAt?: number;
  readonly lastTransactionAt?: number;
}

const merits = { latency: Infinity, lastBlockAt: -Infinity, lastTransactionAt: -Infinity };
const incoming = ({ host, ...peer }: Peer): Session =>
  ({ incoming: true, handshaken: true, ...merits, ...peer, connection: { remote: { host, port: 1 } } }) as Session;
/** Sixteen peers of as many groups, the oldest first. */
const sixteen = (change: (index: number) => Partial<Peer> = () => ({})): Session[] =>
  Array.from({ length: 16 }, (_, index) =>
    incoming({ host: `${11 + index}.1.1.1`, startedAt: index, ...change(index) }),
  );

describe('the incoming peer that is evicted for a new one', () => {
  const evicted = (open: Session[]): string | undefined => peerToEvict(open)?.connection.remote.host;

  it('is the youngest if the peers are otherwise equal', () => {
    expect(evicted(sixteen())).toBe('26.1.1.1');
  });

  it('is the youngest of the group with the most peers', () => {
    expect(evicted(sixteen((index) => (index >= 8 && index < 12 ? { host: `9.9.1.${index}` } : {})))).toBe('9.9.1.11');
  });

  it.each([
    ['latency', { latency: 5 }],
    ['a new block', { lastBlockAt: 50 }],
    ['a new transaction', { lastTransactionAt: 50 }],
  ])('is not one of the two best by %s', (_, merit) => {
    expect(evicted(sixteen((index) => (index >= 14 ? merit : {})))).toBe('24.1.1.1');
    expect(evicted(sixteen((index) => (index >= 13 ? merit : {})))).toMatch(/^2[3-6]/);
  });

  it('is not the best one by latency among a few peers, either', () => {
    const six = sixteen((index) => (index === 5 ? { latency: 5 } : {})).slice(0, 6);
    expect(evicted(six)).toBe('15.1.1.1');
  });

  it('is none if all are protected', () => {
    expect(peerToEvict([])).toBeUndefined();
    expect(evicted(sixteen().slice(0, 4))).toBeUndefined();
    expect(evicted(sixteen().slice(0, 5))).toBe('15.1.1.1');
  });
});

describe('back pings', () => {
  it('have as many slots as there are incoming ones, and release them at their end', async () => {
    const backPings = new BackPings(0);
    for (const _round of [1, 2]) {
      const ends: (() => void)[] = [];
      const ping = (): Promise<boolean> => new Promise((resolve) => ends.push(() => resolve(true)));
      const calls = Array.from({ length: 16 }, (_, index) =>
        backPings.call({ host: `${11 + index}.1.1.1`, port: 1 }, ping),
      );
      expect(await backPings.call({ host: '8.8.8.8', port: 1 }, ping)).toBe(false);
      expect(ends).toHaveLength(16);
      for (const end of ends) end();
      expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
    }
  });
});

describe('failed back pings', () => {
  it('release their slots', async () => {
    const backPings = new BackPings(0);
    const fail = (): Promise<boolean> => Promise.reject(new Error('no route'));
    for (let index = 0; index < 16; index += 1) {
      await expect(backPings.call({ host: `${11 + index}.1.1.1`, port: 1 }, fail)).rejects.toThrow('no route');
    }
    expect(await backPings.call({ host: '8.8.8.8', port: 1 }, () => Promise.resolve(true))).toBe(true);
  });
});

describe('a node whose incoming slots an attacker holds', () => {
  const harness = new Harness();
  const blocks = toyChain(3);
  const chainOf = { height: 4, tip: sha256(blocks[3]?.block ?? Buffer.alloc(0)) };
  afterEach(() => harness.stop());

  it('releases the slot of a closed connection', async () => {
    const entered = jest.spyOn(AddressBudgets.prototype, 'enter');
    const { node } = await harness.node(blocks);
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(chainOf);
    const opened = (): unknown[] => entered.mock.results.map(({ value }) => (value as { open: number }).open);
    expect(opened()).toEqual([1]);
    const gone = once(node, 'disconnected');
    peer.end();
    await gone;
    expect(opened()).toEqual([0]);
    entered.mockRestore();
  });

  it('responds to itself although no slot is free, because it learns its own address that way', async () => {
    const { node } = await harness.node(blocks, { inPeers: 0 });
    const peer = await ScriptedPeer.dial(node.port);
    expect((await peer.handshake({ ...chainOf, peerId: node.peerId })).nodeData.peerId).toBe(node.peerId);
    await peer.closed;
  });

  it('accepts an honest new peer immediately, and retains it while five addresses reconnect repeatedly', async () => {
    let host = '';
    const clock = new SteppedClock();
    const { node } = await harness.node(blocks, {}, { clock, transport: disguised(() => host) });
    const peers: ScriptedPeer[] = [];
    const call = async (from: string): Promise<ScriptedPeer> => {
      host = from;
      clock.advance(100);
      const peer = await ScriptedPeer.dial(node.port);
      peers.push(peer);
      await peer.handshake({ ...chainOf, peerId: BigInt(peers.length) });
      return peer;
    };
    for (let index = 0; index < 15; index += 1) await call(`9${index % 5}.1.1.1`);
    expect(node.connections().incoming).toBe(15);
    const newcomer = await call('8.8.8.8');
    expect(node.connections().incoming).toBe(15);
    for (let round = 0; round < 20; round += 1) {
      const open = peers.filter((peer) => !peer.isClosed);
      await call(`9${round % 5}.1.1.1`);
      await Promise.race(open.map(({ closed }) => closed));
    }
    expect(newcomer.isClosed).toBe(false);
    for (const peer of peers) peer.end();
  });
});
