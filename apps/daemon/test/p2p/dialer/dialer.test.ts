import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@wrkz/levin';
import { NETWORK_ID, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import type { P2pConfig } from '../../../src/p2p/config';
import { p2pDefaults } from '../defaults';
import { Dialer } from '../../../src/p2p/dialer/dialer';
import type { CallPurpose } from '../../../src/p2p/session/connection-manager';
import { Seeds } from '../../../src/p2p/dialer/peer-sources';
import { AddressBook } from '../../../src/p2p/peers/address-book';
import { OwnAddresses } from '../../../src/p2p/peers/own-addresses';
import { Bans } from '../../../src/p2p/limits/bans';
import { addressGroup, addressKey, type PeerAddress } from '../../../src/p2p/addresses';
import { systemRandom } from '../../../src/p2p/clock';
import { TestLogger, sha256, toyChain } from '../fakes';
import { Harness, local } from '../harness';

class Setting {
  readonly clock = new SteppedClock();
  readonly own = new OwnAddresses(this.clock);
  readonly book = new AddressBook({
    ...{ allowLocal: false, key: Buffer.alloc(32) },
    own: { addresses: this.own, peerId: () => 0n },
  });
  readonly bans = new Bans(() => Math.floor(this.clock.now() / 1000));
  readonly logger = new TestLogger();
  readonly calls: { key: string; purpose: CallPurpose }[] = [];
  readonly open: PeerAddress[] = [];
  readonly dead = new Set<string>();
  /** Calls of these addresses reject. */
  readonly failing = new Set<string>();
  readonly resolved: string[] = [];
  isTipStale = false;
  readonly dialer: Dialer;

  constructor(config: Partial<P2pConfig> = {}) {
    const whole: P2pConfig = { ...p2pDefaults, networkId: NETWORK_ID, ...config };
    const seeds = new Seeds({
      ...whole,
      resolve: (host) => {
        this.resolved.push(host);
        return Promise.resolve(['203.0.114.1', '203.0.114.2']);
      },
      now: () => this.clock.now(),
    });
    this.dialer = new Dialer(whole, {
      book: this.book,
      bans: this.bans,
      seeds,
      clock: this.clock,
      random: systemRandom,
      logger: this.logger,
      call: (address, purpose) => {
        this.calls.push({ key: addressKey(address), purpose });
        if (this.failing.has(addressKey(address))) return Promise.reject(new Error('no socket'));
        const alive = !this.dead.has(addressKey(address));
        if (alive && purpose === 'session') this.open.push(address);
        return Promise.resolve(alive);
      },
      outgoing: () => this.open,
      connectionCount: () => this.open.length,
      isTipStale: () => this.isTipStale,
    });
  }

  /** One second, and everything that follows from it. */
  async second(count = 1): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      this.clock.advance(1_000);
      this.dialer.tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  keys(): string[] {
    return this.calls.splice(0).map(({ key }) => key);
  }
}

const address = (host: string): PeerAddress => ({ host, port: 17855 });
const entry = (host: string, lastSeen = 1): PeerAddress & { id: bigint; lastSeen: number } => ({
  ...address(host),
  id: 1n,
  lastSeen,
});

describe('outgoing connections', () => {
  it('go to exclusive nodes only, repeatedly', async () => {
    const setting = new Setting({ exclusiveNodes: [address('11.0.0.1')], priorityNodes: [address('12.0.0.1')] });
    setting.book.addWhite(entry('13.0.0.1'));
    setting.dead.add('11.0.0.1:17855');
    await setting.second(60);
    expect(new Set(setting.calls.map(({ key }) => key))).toEqual(new Set(['11.0.0.1:17855']));
    // At once, then after 2, 4, 8, 16, 32 seconds.
    expect(setting.keys()).toHaveLength(5);
    setting.dead.clear();
    await setting.second(60);
    setting.keys();
    setting.open.length = 0;
    await setting.second(3);
    expect(setting.keys()).toEqual(['11.0.0.1:17855']);
  });

  it('go to priority nodes above the limit, to added peers below it', async () => {
    const setting = new Setting({
      outPeers: 1,
      priorityNodes: ['11.0.0.1', '12.0.0.1'].map(address),
      addedPeers: [address('13.0.0.1')],
    });
    await setting.second(5);
    expect(setting.open.map(({ host }) => host)).toEqual(['11.0.0.1', '12.0.0.1']);
  });

  it('fill their slots from the lists, never two of one network group', async () => {
    const setting = new Setting();
    for (let group = 1; group <= 30; group += 1)
      for (let index = 1; index <= 5; index += 1) setting.book.addGray(entry(`${group + 10}.0.${index}.1`));
    for (let group = 1; group <= 12; group += 1)
      setting.book.addWhite({ ...entry(`${group + 100}.0.0.1`), isProven: true });
    await setting.second(30);
    expect(setting.open).toHaveLength(15);
    expect(new Set(setting.open.map(({ host }) => addressGroup(host))).size).toBe(15);
    const white = setting.open.filter(({ host }) => Number(host.split('.')[0]) > 100).length;
    expect(white).toBeGreaterThanOrEqual(10);
  });

  it('are two more while the tip is stale', async () => {
    const setting = new Setting({ outPeers: 3 });
    for (let group = 1; group <= 30; group += 1) setting.book.addGray(entry(`${group + 10}.0.0.1`));
    await setting.second(10);
    expect(setting.open).toHaveLength(3);
    setting.isTipStale = true;
    await setting.second(10);
    expect(setting.open).toHaveLength(5);
  });

  it('are no more while the tip is stale if the operator allows none', async () => {
    const setting = new Setting({ outPeers: 0 });
    setting.book.addWhite(entry('11.0.0.1'));
    setting.isTipStale = true;
    await setting.second(10);
    expect(setting.calls).toEqual([]);
  });

  it.each([1, 2])('go last to peers that have only connected to us, with %i slots', async (outPeers) => {
    const setting = new Setting({ outPeers });
    setting.book.addWhite(entry('11.0.0.1'));
    setting.book.addGray(entry('12.0.0.1'), '13.0.0.1');
    await setting.second();
    expect(setting.keys()[0]).toBe('12.0.0.1:17855');
  });

  it('go to no peer of a network group with a connection, though slots are free', async () => {
    const setting = new Setting();
    for (const host of ['11.0.0.1', '11.0.1.1', '11.0.2.1']) setting.book.addWhite(entry(host));
    await setting.second(30);
    expect(setting.open).toHaveLength(1);
  });

  it('go to the peers of the last run first', async () => {
    const setting = new Setting({ outPeers: 2 });
    for (let group = 1; group <= 20; group += 1) setting.book.addWhite(entry(`${group + 10}.0.0.1`));
    setting.dialer.useAnchors([address('15.0.0.1'), address('16.0.0.1'), address('127.0.0.1')]);
    await setting.second();
    expect(setting.keys().slice(0, 2)).toEqual(['15.0.0.1:17855', '16.0.0.1:17855']);
  });

  it('go to a banned peer only if the operator configured it, and to no peer twice at a time', async () => {
    const setting = new Setting({ outPeers: 4, priorityNodes: [address('12.0.0.1')] });
    for (const host of ['12.0.0.1', '15.0.0.1']) setting.bans.add(host, 100_000);
    setting.dialer.useAnchors(['15.0.0.1', '16.0.0.1', '16.0.0.1'].map(address));
    await setting.second(5);
    expect(setting.keys()).toEqual(['12.0.0.1:17855', '16.0.0.1:17855']);
  });

  it('avoid a peer whose call failed with an error for ten minutes', async () => {
    const setting = new Setting();
    setting.book.addWhite(entry('11.0.0.1'));
    setting.failing.add('11.0.0.1:17855');
    await setting.second(590);
    expect(setting.keys()).toEqual(['11.0.0.1:17855']);
    expect(setting.logger.errors).toEqual([expect.stringContaining('calling 11.0.0.1:17855')]);
  });

  it.each([
    ['banned', (setting: Setting): unknown => setting.bans.add('11.0.0.9', 100_000)],
    ['this node itself', (setting: Setting): unknown => setting.own.learn({ host: '11.0.0.9', port: 2 })],
    ['not reachable', (setting: Setting): unknown => setting.dead.add('11.0.0.9:2')],
  ])('warn if the only seed is %s', async (_name, prepare) => {
    const setting = new Setting({ seeds: [{ host: '11.0.0.9', port: 2 }] });
    prepare(setting);
    await setting.second(2);
    const warning = expect.stringContaining('no seed node could be reached') as string;
    expect(setting.logger.lines.filter((line) => line.startsWith('warning'))).toEqual([warning]);
  });

  it('avoid a failed peer for ten minutes, and banned ones entirely', async () => {
    const setting = new Setting();
    setting.book.addWhite(entry('11.0.0.1'));
    setting.book.addWhite(entry('12.0.0.1'));
    setting.bans.add('12.0.0.1', 100_000);
    setting.dead.add('11.0.0.1:17855');
    await setting.second(590);
    expect(setting.keys()).toEqual(['11.0.0.1:17855']);
    await setting.second(20);
    expect(setting.keys()).toEqual(['11.0.0.1:17855']);
  });

  it('avoid a useless peer too: ten minutes, or one if the operator configured it', async () => {
    const setting = new Setting({ priorityNodes: [address('12.0.0.1')] });
    setting.book.addWhite(entry('11.0.0.1'));
    await setting.second();
    expect(setting.keys().sort()).toEqual(['11.0.0.1:17855', '12.0.0.1:17855']);
    for (const peer of setting.open.splice(0)) setting.dialer.avoid(peer);
    await setting.second(59);
    expect(setting.keys()).toEqual([]);
    await setting.second(2);
    expect(setting.keys()).toEqual(['12.0.0.1:17855']);
    await setting.second(540);
    expect(setting.keys()).toEqual(['11.0.0.1:17855']);
  });

  it('verify one gray peer a minute; one that does not respond is removed', async () => {
    const setting = new Setting({ outPeers: 0 });
    setting.book.addGray(entry('11.0.0.1'));
    setting.book.addGray(entry('12.0.0.1'));
    setting.dead.add('11.0.0.1:17855').add('12.0.0.1:17855');
    setting.open.push(address('13.0.0.1'));
    await setting.second(59);
    expect(setting.calls).toEqual([]);
    await setting.second(2);
    expect(setting.calls).toEqual([{ key: expect.stringMatching(/^1[12]\./) as string, purpose: 'peer-list' }]);
    expect(setting.book.sizes.gray).toBe(1);
  });

  it('remove no gray peer while this node has no connection', async () => {
    const setting = new Setting({ outPeers: 0 });
    setting.book.addGray(entry('11.0.0.1'));
    setting.dead.add('11.0.0.1:17855');
    await setting.second(62);
    expect(setting.calls).toHaveLength(1);
    expect(setting.book.sizes.gray).toBe(1);
  });

  it('go to seeds if no peer is known, every five minutes; only then names are resolved', async () => {
    const setting = new Setting({
      seeds: [
        { host: 'seed.example', port: 1 },
        { host: '11.0.0.9', port: 2 },
      ],
      dnsSeeds: ['seeds.example'],
    });
    for (const key of ['203.0.114.1:1', '203.0.114.2:1', '11.0.0.9:2', '203.0.114.1:17855', '203.0.114.2:17855'])
      setting.dead.add(key);
    expect(setting.resolved).toEqual([]);
    await setting.second(2);
    expect(setting.resolved).toEqual(['seed.example', 'seeds.example']);
    expect(setting.calls.every(({ purpose }) => purpose === 'peer-list')).toBe(true);
    expect(setting.keys()).toEqual([...setting.dead]);
    await setting.second(297);
    expect(setting.keys()).toEqual([]);
    await setting.second(5);
    expect(setting.keys()).toHaveLength(5);
    expect(setting.resolved).toHaveLength(2);
    expect(setting.dialer.lastSeedBootstrap).toBeGreaterThan(0);
  });

  it('go to no seed and resolve no name while there are peers', async () => {
    const setting = new Setting({ dnsSeeds: ['seeds.example'] });
    for (let group = 1; group <= 5; group += 1) setting.book.addWhite(entry(`${group + 10}.0.0.1`));
    await setting.second(400);
    expect(setting.open).toHaveLength(5);
    expect(setting.resolved).toEqual([]);
  });

  it('log one warning after two minutes without a peer', async () => {
    const setting = new Setting();
    await setting.second(300);
    expect(setting.logger.lines.filter((line) => line.includes('no peers'))).toHaveLength(1);
  });
});

describe('peer lists between nodes', () => {
  const harness = new Harness();
  const blocks = toyChain(2);
  afterEach(() => harness.stop());

  it('contain a peer that can be called back, on loopback only with --allow-local-ip', async () => {
    for (const allowLocal of [false, true]) {
      const hub = await harness.node(blocks, { allowLocal });
      const first = await harness.node(blocks, { exclusiveNodes: [local(hub.node)], allowLocal });
      while (allowLocal && hub.node.peerLists().white.length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      const peer = await ScriptedPeer.dial(hub.node.port);
      const response = await peer.handshake({ height: 3, tip: sha256(blocks[2]?.block ?? Buffer.alloc(0)) });
      expect(response.peers.map(({ host, port }) => ({ host, port }))).toEqual(allowLocal ? [local(first.node)] : []);
      peer.end();
      await harness.stop();
    }
  });

  it('contain no peer that hides its port or reports a false one', async () => {
    const hub = await harness.node(blocks, { allowLocal: true });
    await harness.node(blocks, { exclusiveNodes: [local(hub.node)], allowLocal: true, hidePort: true });
    const other = await harness.node(blocks, { allowLocal: true });
    const dishonest = await ScriptedPeer.dial(hub.node.port);
    await dishonest.handshake({
      height: 3,
      tip: sha256(blocks[2]?.block ?? Buffer.alloc(0)),
      peerId: 99n,
      port: other.node.port,
    });
    await dishonest.nextOf(Command.requestPool);
    // The back ping reaches the other node, which responds with its own id.
    while (other.logger.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(hub.node.peerLists().white).toEqual([]);
    dishonest.end();
  });

  it('are requested from a seed node, and their peers are called', async () => {
    const hub = await harness.node(blocks, { allowLocal: true });
    const known = await harness.node(blocks, { exclusiveNodes: [local(hub.node)], allowLocal: true });
    while (hub.node.peerLists().white.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const clock = new SteppedClock();
    const newcomer = await harness.node(blocks, { seeds: [local(hub.node)], allowLocal: true }, { clock });
    const connected = once(newcomer.node, 'connected');
    let over = false;
    void connected.then(() => (over = true));
    while (!over) {
      clock.advance(1_000);
      await Promise.race([connected, pause(5)]);
    }
    expect(newcomer.node.peers().length).toBeGreaterThan(0);
    expect(newcomer.node.peerLists().white.length).toBeGreaterThan(0);
    expect(known.node.port).toBeGreaterThan(0);
  });

  it('a port in use is reported', async () => {
    const { node } = await harness.node(blocks);
    await expect(harness.node(blocks, { bindPort: node.port })).rejects.toThrow(
      `127.0.0.1:${node.port}: the address is already in use. Choose another with --p2p-bind-port`,
    );
  });
});
