import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePeers, decodePeers6, encodePeers, encodePeers6, type PeerEntry } from '@wrkz/levin';
import { AddressBook } from '../../../src/p2p/peers/address-book';
import { PeerStore, readPeerState, writePeerState } from '../../../src/p2p/peers/state-file';
import { Bans } from '../../../src/p2p/limits/bans';
import { type Claimant, heightClaims, networkHeight } from '../../../src/p2p/sync/network-height';
import { newSyncRecord } from '../../../src/p2p/sync/sync-record';
import { addressKey, canonicalHost, isLocalHost, parseEndpoint } from '../../../src/p2p/addresses';
import { FakeChain, sha256, TestLogger, toyBlock, toyChain, toyCodec } from '../fakes';

const NOW = 1_800_000_000;
const peer = (host: string, lastSeen = NOW - 100, port = 17855): PeerEntry => ({ host, port, id: 5n, lastSeen });

describe('addresses', () => {
  it('have one canonical form', () => {
    expect(canonicalHost('::ffff:93.184.216.34')).toBe('93.184.216.34');
    expect(canonicalHost('[2001:DB8:0:0::1]')).toBe('2001:db8::1');
    expect(canonicalHost('fe80::1%eth0')).toBe('fe80::1');
    for (const text of ['node.example', '1.2.3', '0x7f.1', '', '1.2.3.4:5'])
      expect(canonicalHost(text)).toBeUndefined();
    expect(addressKey({ host: '2001:db8::1', port: 1 })).toBe('[2001:db8::1]:1');
  });

  it('are distinguished from those of the same network group', () => {
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.0.1',
      '172.16.0.1',
      '169.254.1.1',
      '::1',
      'fe80::1',
      'fd00::1',
      '0.0.0.0',
      '224.0.0.1',
      '100.64.0.1',
    ]) {
      expect([host, isLocalHost(host)]).toEqual([host, true]);
    }
    for (const host of ['93.184.216.34', '2a00:1450:4001::1']) expect(isLocalHost(host)).toBe(false);
  });

  it('are parsed from options', () => {
    expect(parseEndpoint('1.2.3.4', 17855)).toEqual({ host: '1.2.3.4', port: 17855 });
    expect(parseEndpoint('node.example:1', 17855)).toEqual({ host: 'node.example', port: 1 });
    expect(parseEndpoint('[2001:db8::1]:2', 17855)).toEqual({ host: '2001:db8::1', port: 2 });
    expect(parseEndpoint('2001:db8::1', 17855)).toEqual({ host: '2001:db8::1', port: 17855 });
    for (const text of ['', 'a:b', '1.2.3.4:0', '1.2.3.4:65536', '[zz]:1', 'a b'])
      expect(parseEndpoint(text, 1)).toBeUndefined();
  });
});

describe('peer lists', () => {
  it('have wire entries of 24 and 40 bytes, the address in network order', () => {
    const blob = encodePeers([peer('1.2.3.4')]);
    expect(blob.toString('hex')).toBe(`01020304bf4500000500000000000000${le(NOW - 100)}00000000`);
    expect(decodePeers(blob)).toEqual([peer('1.2.3.4')]);
    const blob6 = encodePeers6([peer('2001:db8::1')]);
    expect(blob6).toHaveLength(40);
    expect(decodePeers6(blob6)).toEqual([peer('2001:db8::1')]);
    expect(() => decodePeers(blob.subarray(1))).toThrow('not a multiple of 24');
    expect(() => decodePeers6(blob6.subarray(4))).toThrow('not a multiple of 40');
  });
});

describe('bans', () => {
  it('last for 900 seconds, for every spelling of the address', () => {
    let now = NOW;
    const bans = new Bans(() => now);
    expect(bans.add('::ffff:93.184.216.34')).toBe(true);
    expect(bans.add('nonsense')).toBe(false);
    expect(bans.isBanned('93.184.216.34')).toBe(true);
    expect(bans.isBanned('0:0:0:0:0:ffff:5db8:d822')).toBe(true);
    expect(bans.list()).toEqual([{ host: '93.184.216.34', until: NOW + 900 }]);
    bans.add('93.184.216.34', 10);
    now += 899;
    expect(bans.isBanned('93.184.216.34')).toBe(true);
    now += 1;
    expect(bans.list()).toEqual([]);
    expect(bans.isBanned('93.184.216.34')).toBe(false);
    bans.add('8.8.8.8');
    expect(bans.remove('8.8.8.8')).toBe(true);
    expect(bans.list()).toEqual([]);
  });
});

describe('the network height', () => {
  const claims = (outgoing: number[], incoming: number[] = []): number =>
    networkHeight([
      ...outgoing.map((height) => ({ height, incoming: false, shown: 0 })),
      ...incoming.map((height) => ({ height, incoming: true, shown: 0 })),
    ]);

  it('is not raised by fewer than a third of the peers, nor by incoming ones', () => {
    expect(claims([])).toBe(0);
    expect(claims([100])).toBe(100);
    expect(claims([100, 90])).toBe(90);
    expect(claims([1_000_000, 100, 90])).toBe(100);
    expect(claims([1_000_000, 1_000_000, 101, 100, 99, 98])).toBe(101);
    expect(claims([100, 100, 100], [9_000_000, 9_000_000, 9_000_000, 9_000_000])).toBe(100);
    expect(claims([100], [101, 102])).toBe(101);
    expect(claims([100], [4_294_967_295])).toBe(100);
  });

  it('is not lowered below the verified height of a peer', () => {
    const low = { height: 1, incoming: false, shown: 1 };
    expect(networkHeight([{ height: 5_000, incoming: true, shown: 4_000 }, low])).toBe(4_000);
    expect(networkHeight([{ height: 5_000, incoming: true, shown: 0 }, low])).toBe(1);
  });
});

describe('the claims used for the network height', () => {
  const blocks = toyChain(20);
  const chain = new FakeChain(toyCodec, blocks);
  const hashAt = (height: number): Buffer => chain.hashAt(height) ?? Buffer.alloc(32);
  const unknown = Buffer.alloc(32, 7);
  const claimant = (height: number, tip: Buffer, change: Partial<Claimant> = {}): Claimant => ({
    incoming: false,
    demoted: false,
    record: newSyncRecord(),
    claim: { height, tip },
    ...change,
  });
  const heights = (...peers: Claimant[]): number[] => heightClaims(peers, chain, () => 0).map(({ height }) => height);

  it('are those of peers that have sent their chain and have not failed too often', () => {
    expect(heights(claimant(30, unknown), claimant(31, unknown, { demoted: true }))).toEqual([30]);
    expect(heights(claimant(30, unknown, { claim: undefined }))).toEqual([]);
    expect(heightClaims([claimant(30, unknown, { incoming: true })], chain, () => 25)).toEqual([
      { height: 30, incoming: true, shown: 25 },
    ]);
  });

  it('count by their proof: a known tip as its own height, an unserved claim as nothing', () => {
    expect(heights(claimant(4_294_967_295, hashAt(20)), claimant(1, hashAt(7)))).toEqual([21, 8]);
    const side = toyBlock(hashAt(5), 900);
    chain.add(side);
    expect(heights(claimant(4_294_967_295, sha256(side.block)), claimant(7, sha256(side.block)))).toEqual([21, 7]);
    expect(heights(claimant(30, unknown, { record: { ...newSyncRecord(), unserved: true } }))).toEqual([]);
  });
});

describe('the peer state file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'wrkz-peers-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const state = {
    peerId: 2n ** 64n - 3n,
    white: [peer('93.184.216.34')],
    gray: [peer('2001:db8::1')],
    anchors: [{ host: '93.184.216.34', port: 17855 }],
    bans: [{ host: '8.8.8.8', until: NOW }],
  };

  it('is restored unchanged, and leaves no temporary file', async () => {
    const file = join(directory, 'peers.json');
    const [white, gray] = [state.white, state.gray].map((entries) =>
      entries.map((entry) => ({ ...entry, source: '4d01/16', failures: 2, isProven: true })),
    );
    await writePeerState(file, state);
    await writePeerState(file, { ...state, white: white ?? [], gray: gray ?? [] });
    expect(await readPeerState(file)).toEqual({ ...state, white, gray });
    expect(await readdir(directory)).toEqual(['peers.json']);
  });

  it('stores four anchors, and no id of 0', async () => {
    const file = join(directory, 'peers.json');
    const called = Array.from({ length: 6 }, (_, index) => ({ host: `9.9.9.${index + 1}`, port: 17855 }));
    const make = (peerId: bigint) => {
      const own = { peerId };
      const book = new AddressBook({ allowLocal: false, key: Buffer.alloc(32, 1) });
      const bans = new Bans(() => NOW);
      const store = new PeerStore(file, { own, book, bans, logger: new TestLogger(), called: () => called });
      return { own, book, bans, store };
    };
    const first = make(7n);
    first.book.addWhite(peer('93.184.216.34'));
    first.bans.add('8.8.8.8');
    await first.store.save();
    const second = make(1n);
    expect(await second.store.restore()).toEqual(called.slice(0, 4));
    expect(second.own.peerId).toBe(7n);
    expect(second.book.whiteEntries()).toEqual([peer('93.184.216.34')]);
    expect(second.bans.isBanned('8.8.8.8')).toBe(true);
    await writePeerState(file, { ...state, peerId: 0n });
    await second.store.restore();
    expect(second.own.peerId).toBe(7n);
  });

  it('is written once more after any number of changes during a write', async () => {
    const file = join(directory, 'peers.json');
    let reads = 0;
    const book = new AddressBook({ allowLocal: false, key: Buffer.alloc(32, 1) });
    const bans = new Bans(() => NOW);
    const list = jest.spyOn(bans, 'list').mockImplementation(() => {
      reads += 1;
      return [{ host: '8.8.8.8', until: NOW + reads }];
    });
    const anchors = [{ host: '9.9.9.1', port: 17855 }];
    const parts = { own: { peerId: 7n }, book, bans, logger: new TestLogger(), called: () => anchors };
    const store = new PeerStore(file, parts);
    const first = store.save();
    // The write has begun.
    await Promise.resolve();
    await Promise.all([first, ...Array.from({ length: 50 }, () => store.save())]);
    expect(list.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await readPeerState(file)).toMatchObject({ bans: [{ until: NOW + 2 }], anchors });
  });

  it('contains the peers that were connected when it was saved', async () => {
    const file = join(directory, 'peers.json');
    let called = [{ host: '9.9.9.1', port: 17855 }];
    const book = new AddressBook({ allowLocal: false, key: Buffer.alloc(32, 1) });
    const parts = { own: { peerId: 7n }, book, bans: new Bans(() => NOW), logger: new TestLogger() };
    const store = new PeerStore(file, { ...parts, called: () => called });
    const saved = store.save();
    called = [];
    await saved;
    expect(await readPeerState(file)).toMatchObject({ anchors: [{ host: '9.9.9.1' }] });
  });

  it('is not read from a named pipe, whose open would wait for a writer', async () => {
    const file = join(directory, 'peers.json');
    execFileSync('mkfifo', [file]);
    expect(await readPeerState(file)).toEqual({ error: 'cannot be read: it is not a regular file' });
  });

  it('may be missing; a damaged one is renamed', async () => {
    const file = join(directory, 'peers.json');
    expect(await readPeerState(file)).toBeUndefined();
    const fraction = { ...{ version: 1, peerId: '7', gray: [], anchors: [], bans: [] }, white: [] as object[] };
    fraction.white = [{ host: '9.9.9.1', port: 1, id: '1', lastSeen: 1.5 }];
    const damaged = [{ version: 2 }, { version: 1, peerId: 'x' }, fraction].map((state) => JSON.stringify(state));
    for (const text of ['{"version":1', '[]', ...damaged]) {
      await writeFile(file, text);
      expect(await readPeerState(file)).toEqual({ error: expect.stringContaining('damaged') as string });
      expect(await readFile(`${file}.bad`, 'utf8')).toBe(text);
      expect(await readPeerState(file)).toBeUndefined();
    }
  });
});

function le(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes.toString('hex');
}
