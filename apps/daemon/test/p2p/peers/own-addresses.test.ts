import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, handshakeRequest, handshakeResponse, type PeerEntry } from '@wrkz/levin';
import fc from 'fast-check';
import { hello, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { OwnAddresses } from '../../../src/p2p/peers/own-addresses';
import { AddressBook } from '../../../src/p2p/peers/address-book';
import { writePeerState } from '../../../src/p2p/peers/state-file';
import { tcpTransport, type Transport } from '../../../src/p2p/connection/transport';
import { addressKey, type PeerAddress } from '../../../src/p2p/addresses';
import { sha256, toyChain } from '../fakes';
import { disguised, Harness, local } from '../harness';

const at = (host: string, port = 17855): PeerAddress => ({ host, port });
const entry = (host: string, port = 17855, id = 5n): PeerEntry => ({ host, port, id, lastSeen: 1_700_000_000 });

describe('the own addresses of a node', () => {
  const MACHINE = ['127.0.0.1', '192.168.1.7', '93.184.216.34', '::1', '2a00:1450::7', 'fe80::1'];
  const listening = (...listeners: PeerAddress[]): OwnAddresses => {
    const own = new OwnAddresses(new SteppedClock(), () => MACHINE);
    own.listensAt(listeners);
    return own;
  };
  const reached = (own: OwnAddresses, hosts: readonly string[], port = 17855): string[] =>
    hosts.filter((host) => own.has(at(host, port)));

  it('are all of the machine if it listens on all addresses, and the whole loopback range', () => {
    const all = [...MACHINE, '127.8.8.8', '93.184.216.35', '192.168.1.8', '2a00:1450::8'];
    const ipv4 = ['127.0.0.1', '192.168.1.7', '93.184.216.34', '127.8.8.8'];
    expect(reached(listening(at('0.0.0.0')), all)).toEqual(ipv4);
    const both = listening(at('0.0.0.0'), at('::'));
    expect(reached(both, all)).toEqual([...MACHINE, '127.8.8.8']);
    expect(reached(both, all, 17856)).toEqual([]);
    expect(reached(listening(at('0.0.0.0'), at('::', 20_000)), all, 20_000)).toEqual([...MACHINE, '127.8.8.8']);
  });

  it('are the one address that it listens on, in any spelling', () => {
    expect(reached(listening(at('192.168.1.7')), MACHINE)).toEqual(['192.168.1.7']);
    expect(reached(listening(at('2A00:1450:0::7')), MACHINE)).toEqual(['2a00:1450::7']);
  });

  it('include the address that a router forwards, during the mapping', () => {
    const own = listening(at('192.168.1.7'));
    own.isMappedTo(at('8.8.4.4', 20_000));
    expect([own.has(at('8.8.4.4', 20_000)), own.has(at('8.8.4.4'))]).toEqual([true, false]);
    own.isMappedTo(undefined);
    expect(own.has(at('8.8.4.4', 20_000))).toBe(false);
  });

  it('include addresses at which it connected to itself; the latest 64 are stored', () => {
    const own = listening();
    for (let n = 0; n < 100; n += 1) own.learn(at(`8.8.8.${n}`));
    const known = Array.from({ length: 100 }, (_, n) => `8.8.8.${n}`).filter((host) => own.has(at(host)));
    expect([known.length, known[0]]).toEqual([64, '8.8.8.36']);
  });

  it('follow the interfaces of the machine within a minute, and are read at most once a minute', () => {
    const clock = new SteppedClock();
    let requested = 0;
    let machine = ['192.168.1.7'];
    const own = new OwnAddresses(clock, () => ((requested += 1), machine));
    own.listensAt([at('0.0.0.0')]);
    for (let n = 0; n < 1_000; n += 1) own.has(at(`10.0.${n % 250}.1`));
    expect([own.has(at('192.168.1.7')), requested]).toEqual([true, 1]);
    machine = ['192.168.1.8'];
    clock.advance(60_000);
    expect([own.has(at('192.168.1.7')), own.has(at('192.168.1.8')), requested]).toEqual([false, true, 2]);
  });
});

it('are never in a list, for any order of received and learnt addresses', () => {
  const OWN_ID = 99n;
  const hosts = ['127.0.0.1', '192.168.1.7', '8.8.8.8', '8.8.4.4', '93.184.216.34', '2a00:1450::7', '2a00:1450:1::8'];
  const address = fc.record({ host: fc.constantFrom(...hosts), port: fc.constantFrom(17855, 17856) });
  const peer = fc.record({
    ...{ address },
    id: fc.constantFrom(OWN_ID, 1n, 2n),
    seen: fc.integer({ min: 1, max: 1000 }),
  });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('gossip' as const), peers: fc.array(peer, { maxLength: 8 }) }),
    fc.record({ kind: fc.constant('white' as const), peers: fc.array(peer, { maxLength: 2 }) }),
    fc.record({ kind: fc.constant('met' as const), address }),
    fc.record({ kind: fc.constant('mapped' as const), address }),
    fc.record({ kind: fc.constant('listens' as const), address }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const addresses = new OwnAddresses(new SteppedClock(), () => ['192.168.1.7']);
      const book = new AddressBook({
        allowLocal: true,
        key: Buffer.alloc(32),
        own: { addresses, peerId: () => OWN_ID },
      });
      for (const one of steps) {
        if (one.kind === 'gossip' || one.kind === 'white') {
          const entries = one.peers.map(({ address, id, seen }) => ({ ...address, id, lastSeen: seen }));
          if (one.kind === 'gossip') book.merge(entries, '8.8.8.8', 2_000n, 2_000);
          else entries.forEach((reported) => book.addWhite(reported));
          continue;
        }
        if (one.kind === 'met') addresses.learn(one.address);
        else if (one.kind === 'mapped') addresses.isMappedTo(one.address);
        else addresses.listensAt([one.address]);
        book.dropOwn();
      }
      const listed = [...book.whiteEntries(), ...book.grayEntries(), ...book.toSend()];
      expect(listed.filter((reported) => reported.id === OWN_ID || addresses.has(reported))).toEqual([]);
    }),
  );
});

describe('a node among peers', () => {
  const harness = new Harness();
  afterEach(() => harness.stop());
  const standing = { height: 1, tip: sha256(Buffer.from('elsewhere')) };

  it('ignores its own addresses in peer lists', async () => {
    const server = await harness.server();
    const { node } = await harness.node(toyChain(1), { allowLocal: true, addedPeers: [server.address] });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    const reported = [
      entry('127.0.0.1', node.port),
      entry('93.184.216.34', 17855, node.peerId), // Our address in the list of another peer.
      entry('8.8.8.8'),
    ].map((one) => ({ ...one, lastSeen: Math.floor(Date.now() / 1000) - 10 }));
    peer.reply(Command.handshake, handshakeResponse.encode({ ...hello(standing), peers: reported, peers6: [] }));
    await peer.settle(standing);
    const { white, gray } = node.peerLists();
    expect([white, gray]).toEqual([[addressKey(server.address)], ['8.8.8.8:17855']]);
  });

  /** A network in which the node also responds at a public address. */
  function mirror(port: Promise<number>, connects: string[]): Transport {
    return {
      ...tcpTransport,
      connect: async (address) => {
        connects.push(addressKey(address));
        return tcpTransport.connect({ host: '127.0.0.1', port: await port });
      },
    };
  }

  it('that connects to itself disconnects, stores the address, and does not connect to it again', async () => {
    const clock = new SteppedClock();
    const connects: string[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'wrkz-own-'));
    const stateFile = join(folder, 'peers.json');
    const itself = at('93.184.216.34');
    await writePeerState(stateFile, {
      peerId: 99n,
      white: [{ ...itself, id: 5n, lastSeen: 1_799_999_000 }],
      gray: [],
      anchors: [itself],
      bans: [],
    });
    let listens: ((port: number) => void) | undefined;
    const port = new Promise<number>((resolve) => (listens = resolve));
    const { node, logger } = await harness.node(
      toyChain(1),
      { priorityNodes: [itself], stateFile },
      { clock, transport: mirror(port, connects) },
    );
    listens?.(node.port);
    const seconds = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    // The first connection begins with the start; the response contains the id of the called node.
    const met = 'out 93.184.216.34:17855: closed: connection to ourselves';
    while (!logger.lines.some((line) => line.includes(met))) await new Promise((resolve) => setImmediate(resolve));
    const called = connects.length;
    await seconds(700); // Longer than any wait of the dialer.
    expect(connects.slice(called)).toEqual([]);
    expect(node.peerListSizes()).toEqual({ white: 0, gray: 0 });
    expect(logger.lines.filter((line) => line.includes('93.184.216.34:17855 is this node itself'))).toHaveLength(1);
    expect(node.bans()).toEqual([]);
    await harness.stop();
    expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ white: [], gray: [], anchors: [] });
    await rm(folder, { recursive: true });
  });

  it('learns no address from an incoming peer with its own id, which any peer can send', async () => {
    const { node } = await harness.node(toyChain(1), {}, { transport: disguised('93.184.216.34') });
    const data = { ...standing, peerId: node.peerId, port: 17855 };
    const dishonest = await ScriptedPeer.dial(node.port);
    dishonest.send(Command.handshake, handshakeRequest.encode(hello(data)), 'request');
    await dishonest.closed;
    const honest = await ScriptedPeer.dial(node.port);
    await honest.handshake({ ...standing, peerId: 8n, port: 0 });
    await honest.settle(standing);
    expect(node.connections().incoming).toBe(1);
  });

  it('removes its entry of an address that a router forwards to it', async () => {
    const server = await harness.server();
    const { node } = await harness.node(toyChain(1), { allowLocal: true, addedPeers: [server.address] });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    const reported = [{ ...entry('8.8.8.8'), lastSeen: Math.floor(Date.now() / 1000) - 10 }];
    peer.reply(Command.handshake, handshakeResponse.encode({ ...hello(standing), peers: reported, peers6: [] }));
    await peer.settle(standing);
    expect(node.peerLists().gray).toEqual(['8.8.8.8:17855']);
    node.isMappedTo(at('8.8.8.8'));
    expect(node.peerLists().gray).toEqual([]);
  });

  it('distinguishes the addresses of another node on the same machine from its own', async () => {
    const first = await harness.node(toyChain(1), { allowLocal: true });
    const second = await harness.node(toyChain(1), { allowLocal: true, addedPeers: [local(first.node)] });
    if (second.node.connections().outgoing === 0)
      await new Promise((resolve) => second.node.once('connected', resolve));
    expect(second.node.peerLists().white).toEqual([addressKey(local(first.node))]);
  });
});
