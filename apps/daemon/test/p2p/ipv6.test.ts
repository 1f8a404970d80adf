import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import {
  Command,
  encodePeers,
  encodePeers6,
  handshakeRequest,
  pingRequest,
  pingResponse,
  type PeerEntry,
} from '@wrkz/levin';
import { hello, ScriptedPeer, Suite } from '@wrkz/testing';
import { listenAddresses, readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { peersConfig } from '../../src/wiring/peers';
import { exercises } from '../support/exercises';
import { newSuite } from '../network/daemons';
import { sha256, toyChain } from './fakes';
import { disguised, Harness } from './harness';

exercises('p2p-bind-ipv6-address', 'p2p-bind-port-ipv6', 'p2p-bind-ip', 'in-peers');

const harness = new Harness();
afterEach(() => harness.stop());

const standing = { height: 1, tip: sha256(Buffer.from('elsewhere')) };
const both = { bindHost6: '::1' };
const PUBLIC6 = '2a00:1450:4001:81::1';

/** Resolves when the port has no listener any more. */
async function refused(port: number, host: string): Promise<void> {
  const socket = connect(port, host);
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
}

describe('a second listener for peers', () => {
  it('accepts IPv6 on the port of the first one, and closes with it', async () => {
    const { node } = await harness.node(toyChain(1), both);
    const { port } = node;
    expect(node.listensAt).toEqual([
      { host: '127.0.0.1', port },
      { host: '::1', port },
    ]);
    const [four, six] = [await ScriptedPeer.dial(port), await ScriptedPeer.dial(port, '::1')];
    await four.handshake({ ...standing, peerId: 4n });
    const response = await six.handshake({ ...standing, peerId: 6n });
    expect(response.nodeData.peerId).toBe(node.peerId);
    await six.settle(standing);
    expect(node.connections()).toEqual({ incoming: 2, outgoing: 0 });
    expect(node.peers().map(({ address }) => address.replace(/\d+$/, 'port'))).toEqual([
      '127.0.0.1:port',
      '[::1]:port',
    ]);
    await node.stop();
    await Promise.all([four.closed, six.closed, refused(port, '127.0.0.1'), refused(port, '::1')]);
  });

  it('has its own port if configured, and reports it to peers that connect through it', async () => {
    const probe = createServer().listen(0, '::1');
    await once(probe, 'listening');
    const { port: bindPort6 } = probe.address() as AddressInfo;
    await new Promise((closed) => probe.close(closed));
    const { node } = await harness.node(toyChain(1), { ...both, bindPort6, externalPort: 20_000 });
    expect(node.listensAt[1]).toEqual({ host: '::1', port: bindPort6 });
    const [four, six] = [await ScriptedPeer.dial(node.port), await ScriptedPeer.dial(bindPort6, '::1')];
    expect((await four.handshake({ ...standing, peerId: 4n })).nodeData.myPort).toBe(20_000);
    expect((await six.handshake({ ...standing, peerId: 6n })).nodeData.myPort).toBe(bindPort6);
  });

  it('reports no port if the port is hidden', async () => {
    const { node } = await harness.node(toyChain(1), { ...both, hidePort: true });
    const six = await ScriptedPeer.dial(node.port, '::1');
    expect((await six.handshake(standing)).nodeData.myPort).toBe(0);
  });

  it('logs a warning if it cannot be opened', async () => {
    const taken = createServer().listen(0, '::1');
    await once(taken, 'listening');
    const { port: bindPort6 } = taken.address() as AddressInfo;
    for (const [config, why] of [
      [{ bindHost6: '2001:db8::1' }, /cannot listen for peers on \[2001:db8::1\]:\d+: the address is not available/],
      [{ ...both, bindPort6 }, /cannot listen for peers on \[::1\]:\d+: .*in use/],
    ] as const) {
      const { node, logger } = await harness.node(toyChain(1), config);
      expect(logger.lines.join('\n')).toMatch(why);
      expect(logger.lines.join('\n')).toContain('; peers reach this node by 127.0.0.1 alone');
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake(standing);
      expect(node.listensAt).toHaveLength(1);
    }
    await new Promise((closed) => taken.close(closed));
  });

  it('shares the incoming slots: --in-peers counts both', async () => {
    const { node } = await harness.node(toyChain(1), { ...both, inPeers: 1 });
    const four = await ScriptedPeer.dial(node.port);
    await four.handshake({ ...standing, peerId: 4n });
    const six = await ScriptedPeer.dial(node.port, '::1');
    six.send(Command.handshake, handshakeRequest.encode(hello({ ...standing, peerId: 6n })), 'request');
    await six.closed;
    expect(node.connections()).toEqual({ incoming: 1, outgoing: 0 });
  });

  it('applies the limits of an address: four slots per /64', async () => {
    let last = 0;
    const transport = disguised(() => `2a00:1450:4001:81::${(last += 1).toString(16)}`);
    const { node } = await harness.node(toyChain(1), both, { transport });
    const callers = [];
    for (let n = 0; n < 5; n += 1) callers.push(await ScriptedPeer.dial(node.port, '::1'));
    await callers[4]?.closed;
    for (const [n, caller] of callers.slice(0, 4).entries())
      await caller.handshake({ ...standing, peerId: BigInt(n + 1) });
    expect(node.connections().incoming).toBe(4);
  });

  it('rejects a banned peer, and disconnects connected ones', async () => {
    const { node } = await harness.node(toyChain(1), both);
    const [four, six] = [await ScriptedPeer.dial(node.port), await ScriptedPeer.dial(node.port, '::1')];
    await four.handshake({ ...standing, peerId: 4n });
    await six.handshake({ ...standing, peerId: 6n });
    expect(node.ban('[::1]')).toBe(true);
    await six.closed;
    await (
      await ScriptedPeer.dial(node.port, '::1')
    ).closed;
    expect(four.isClosed).toBe(false);
    expect(node.ban('::ffff:127.0.0.1')).toBe(true); // An IPv4-mapped IPv6 address.
    await four.closed;
    expect(node.bans().map(({ host }) => host)).toEqual(['::1', '127.0.0.1']);
  });
});

describe('IPv6 peers in the lists', () => {
  it('are sent to peers that support them, apart from IPv4 ones', async () => {
    const server = await harness.server();
    const connects: string[] = [];
    const transport = {
      ...disguised(PUBLIC6),
      connect: ({ host }: { host: string }) => {
        connects.push(host);
        const socket = connect(server.address);
        return once(socket, 'connect').then(() => socket);
      },
    };
    const { node } = await harness.node(toyChain(1), both, { transport });
    const caller = await ScriptedPeer.dial(node.port, '::1');
    await caller.handshake({ ...standing, peerId: 6n, port: 17855 });
    const called = await server.caller();
    await called.nextOf(Command.ping);
    called.reply(Command.ping, pingResponse.encode({ status: 'OK', peerId: 6n }));
    while (node.peerListSizes().white === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(connects).toEqual([PUBLIC6]);
    expect(node.peerLists().white).toEqual([`[${PUBLIC6}]:17855`]);
    const newer = await (
      await ScriptedPeer.dial(node.port, '::1')
    ).handshake({ ...standing, peerId: 19n, version: 19 });
    expect([newer.peers, newer.peers6.map(({ host }) => host)]).toEqual([[], [PUBLIC6]]);
    const older = await (
      await ScriptedPeer.dial(node.port, '::1')
    ).handshake({ ...standing, peerId: 18n, version: 18 });
    expect([older.peers, older.peers6]).toEqual([[], []]);
  });

  it('are never truncated into an IPv4 entry', () => {
    const peer = (host: string): PeerEntry => ({ host, port: 17855, id: 1n, lastSeen: 1 });
    expect(() => encodePeers([peer(PUBLIC6)])).toThrow(RangeError);
    expect(() => encodePeers6([peer('93.184.216.34')])).toThrow(RangeError);
    expect(encodePeers([peer('::ffff:93.184.216.34')])).toEqual(encodePeers([peer('93.184.216.34')]));
  });
});

describe('--p2p-bind-ipv6-address', () => {
  const devnet = ['--network', 'devnet', '--p2p-bind-ip=127.0.0.1'];

  it.each([
    [[], undefined, undefined],
    [['--p2p-bind-ipv6-address=::1'], 0, 37_855],
    [['--p2p-bind-ipv6-address=::1', '--p2p-bind-port=4000'], 0, 4_000],
    [['--p2p-bind-ipv6-address=::1', '--p2p-bind-port-ipv6=5000'], 5_000, 5_000],
  ])('%j', (argv, port, listens) => {
    const config = readConfig([...devnet, ...argv]);
    const { bindHost6, bindPort6 } = peersConfig(config);
    expect([bindHost6, bindPort6]).toEqual(port === undefined ? [undefined, 0] : ['::1', port]);
    const second = listenAddresses(config).filter(({ host }) => host === '::1');
    expect(second).toEqual(listens === undefined ? [] : [{ host: '::1', port: listens, required: false }]);
  });

  it.each(['1.2.3.4', 'localhost', '[::1]:80'])('rejects the IPv6 address %s', (text) => {
    expect(() => readConfig([...devnet, `--p2p-bind-ipv6-address=${text}`])).toThrow('an IPv6 address is expected');
  });

  it('connects two daemons, and is logged at the start', async () => {
    const suite: Suite<Daemon> = newSuite();
    try {
      const one = await suite.node({ args: ['--p2p-bind-ipv6-address=::1'] });
      const [, second] = one.daemon.parts.peers.listensAt;
      expect(second).toEqual({ host: '::1', port: one.daemon.ports.p2p });
      const peer = await ScriptedPeer.dial(one.daemon.ports.p2p, '::1');
      peer.send(Command.ping, pingRequest.encode(), 'request');
      expect((await peer.nextOf(Command.ping)).returnCode).toBe(1);
      peer.end();
    } finally {
      await suite.stopAll();
    }
  });
});
