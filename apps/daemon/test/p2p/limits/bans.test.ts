import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedPeer } from '@wrkz/testing';
import { Bans, readBanLists } from '../../../src/p2p/limits/bans';
import { parseIpRange } from '../../../src/p2p/addresses';
import { readPeerState, writePeerState } from '../../../src/p2p/peers/state-file';
import { disguised, Harness } from '../harness';
import { sha256, toyChain } from '../fakes';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wrkz-bans-'));
});
afterEach(() => rm(directory, { recursive: true }));
const listOf = async (text: string, name = 'list'): Promise<string> => {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
};

describe('a range of addresses', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8', '8.8.8.8', '8.8.8.9'],
    ['8.8.8.9/24', '8.8.8.0/24', '8.8.8.255', '8.8.9.0'],
    ['8.8.128.0/17', '8.8.128.0/17', '8.8.255.1', '8.8.127.255'],
    ['::ffff:8.8.0.0/112', '8.8.0.0/16', '8.8.1.1', '8.9.0.0'],
    ['2a00:1:2:3::9', '2a00:1:2:3::9', '2a00:1:2:3:4::1', '2a00:1:2:4::1'],
    ['2a00:1::/32', '2a00:1::/32', '2a00:1:ffff::1', '2a00:2::1'],
    ['0.0.0.0/0', '0.0.0.0/0', '255.1.1.1', '2a00::1'],
  ])('%s covers its addresses and no other', (text, canonical, inside, outside) => {
    expect(parseIpRange(text)?.text).toBe(canonical);
    const bans = new Bans(() => 1_000);
    expect(bans.add(text)).toBe(true);
    expect([bans.isBanned(inside), bans.isBanned(outside)]).toEqual([true, false]);
    expect(bans.list()).toEqual([{ host: canonical, until: 1_900 }]);
    expect([bans.remove(text), bans.isBanned(inside)]).toEqual([true, false]);
  });

  it('is banned until its time has passed on the monotonic clock or on the system clock', () => {
    let [now, steady] = [10_000, 0];
    const bans = new Bans(
      () => now,
      () => steady,
    );
    bans.add('8.8.8.8', 900);
    [now, steady] = [5_000, 899];
    expect(bans.isBanned('8.8.8.8')).toBe(true);
    steady = 900;
    expect([bans.isBanned('8.8.8.8'), bans.list()]).toEqual([false, []]);
    bans.add('8.8.8.8', 900);
    now += 900;
    expect(bans.isBanned('8.8.8.8')).toBe(false);
  });

  it.each(['', 'x', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/x', '1.2.3.4/8/8', '::1/129', '::ffff:1.2.3.4/24'])(
    'rejects the invalid range %j',
    (text) => expect(parseIpRange(text)).toBeUndefined(),
  );

  it('is stored with the bans, and a file without ranges stays readable', async () => {
    const file = join(directory, 'peers.json');
    const bans = [
      { host: '8.8.8.8', until: 5 },
      { host: '9.9.0.0/16', until: 6 },
    ];
    const state = { peerId: 1n, white: [], gray: [], anchors: [], bans };
    await writePeerState(file, state);
    expect(await readPeerState(file)).toEqual(state);
  });
});

describe('ban lists', () => {
  const harness = new Harness();
  const blocks = toyChain(3);
  const chainOf = { height: 4, tip: sha256(blocks[3]?.block ?? Buffer.alloc(0)) };
  afterEach(() => harness.stop());

  it('are read from several files, without comments', async () => {
    const files = [await listOf('# comment\n8.8.8.8 # one\n\n9.9.0.0/16\r\n', 'a'), await listOf('2a00::/16', 'b')];
    expect(readBanLists(files).map(({ text }) => text)).toEqual(['8.8.8.8', '9.9.0.0/16', '2a00::/16']);
  });

  it('report file and line of an error', async () => {
    const file = await listOf('8.8.8.8\nnonsense\n');
    expect(() => readBanLists([file])).toThrow(`${file}, line 2: "nonsense" is not an IP address or range`);
    expect(() => readBanLists([join(directory, 'missing')])).toThrow('missing cannot be read');
  });

  it('reject banned peers, and a reload closes the connections that are banned now', async () => {
    let host = '9.9.1.1';
    const file = await listOf('9.9.0.0/16\n');
    const { node } = await harness.node(blocks, { banLists: [file] }, { transport: disguised(() => host) });
    await (
      await ScriptedPeer.dial(node.port)
    ).closed;
    host = '7.7.7.7';
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(chainOf);
    await listOf('7.7.7.0/24\n');
    node.reload();
    await peer.closed;
    expect(node.bans()).toEqual([]);
    await listOf('nonsense\n');
    expect(() => node.reload()).toThrow('line 1');
    await (
      await ScriptedPeer.dial(node.port)
    ).closed;
  });
});
