import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { AddressBudgets } from '../../../src/p2p/limits/address-budget';
import { Bans } from '../../../src/p2p/limits/bans';
import { AddressBook } from '../../../src/p2p/peers/address-book';
import { slotFor } from '../../../src/p2p/peers/incoming-slots';
import type { Session } from '../../../src/p2p/session/session';
import { accountKey, hostNetwork } from '../../../src/p2p/addresses';
import { sha256, toyChain } from '../fakes';
import { disguised, Harness } from '../harness';

const caller = (host: string, change: object = {}): Session =>
  ({ incoming: true, handshaken: true, connection: { remote: { host, port: 1 } }, ...change }) as Session;
const callers = (count: number, host: (index: number) => string): Session[] =>
  Array.from({ length: count }, (_, index) => caller(host(index)));

describe('the limit key of an address', () => {
  it('is the address, or the /64 of an IPv6 one; local ones are counted per connection', () => {
    expect(hostNetwork('93.184.216.34')).toBe('93.184.216.34');
    expect(hostNetwork('::ffff:93.184.216.34')).toBe('93.184.216.34');
    expect(hostNetwork('2a00:1450:4001:81::1')).toBe(hostNetwork('2a00:1450:4001:81:ffff::7'));
    expect(hostNetwork('2a00:1450:4001:81::1')).not.toBe(hostNetwork('2a00:1450:4001:82::1'));
    expect(accountKey({ host: '8.8.8.8', port: 1 })).toBe(accountKey({ host: '8.8.8.8', port: 2 }));
    for (const host of ['127.0.0.1', '127.3.2.1', '10.0.0.1', '192.168.1.1', 'fd00::1', '::1']) {
      expect(accountKey({ host, port: 1 })).not.toBe(accountKey({ host, port: 2 }));
    }
  });
});

it('treats a tunnel over the internet as no local address: limits and bans apply, and no list contains it', () => {
  for (const host of ['2002:808:808::1', '2001:0:5ef5:79fd::1']) {
    expect(accountKey({ host, port: 1 })).toBe(accountKey({ host, port: 2 }));
    const open = callers(4, () => host);
    expect(slotFor({ host, port: 9 }, open, 15)).toBe('none');
    const book = new AddressBook({ allowLocal: false, key: Buffer.alloc(32) });
    expect(book.allows({ host, port: 1 })).toBe(false);
  }
});

describe('an incoming slot', () => {
  const place = (host: string, open: Session[], inPeers = 15): Session | string =>
    slotFor({ host, port: 9 }, open, inPeers);

  it('is one of four for an address, and for a /64', () => {
    expect(
      place(
        '8.8.8.8',
        callers(3, () => '8.8.8.8'),
      ),
    ).toBe('free');
    expect(
      place(
        '8.8.8.8',
        callers(4, () => '8.8.8.8'),
      ),
    ).toBe('none');
    expect(
      place(
        '2a00:1:2:3::9',
        callers(4, (index) => `2a00:1:2:3::${index}`),
      ),
    ).toBe('none');
    expect(
      place(
        '2a00:1:2:4::9',
        callers(4, (index) => `2a00:1:2:3::${index}`),
      ),
    ).toBe('free');
  });

  it('is one of a quarter of all slots for a /16, and for an IPv6 /32', () => {
    expect(
      place(
        '8.8.9.9',
        callers(6, (index) => `8.8.${index}.1`),
      ),
    ).toBe('free');
    expect(
      place(
        '8.8.9.9',
        callers(7, (index) => `8.8.${index}.1`),
      ),
    ).toBe('none');
    expect(
      place(
        '8.9.9.9',
        callers(7, (index) => `8.8.${index}.1`),
      ),
    ).toBe('free');
    expect(
      place(
        '2a00:1:99::9',
        callers(7, (index) => `2a00:1:${index}::1`),
      ),
    ).toBe('none');
    expect(
      place(
        '8.8.9.9',
        callers(20, (index) => `8.8.${index}.1`),
        100,
      ),
    ).toBe('free');
    expect(
      place(
        '8.8.9.9',
        callers(3, (index) => `8.8.${index}.1`),
        0,
      ),
    ).toBe('free');
    expect(
      place(
        '8.8.9.9',
        callers(4, (index) => `8.8.${index}.1`),
        0,
      ),
    ).toBe('none');
  });

  it('is not limited for loopback and private networks, nor for outgoing peers', () => {
    for (const host of ['127.0.0.1', '10.0.0.1', '192.168.1.1', 'fd00::1'])
      expect(
        place(
          host,
          callers(30, () => host),
        ),
      ).toBe('free');
    expect(
      place(
        '8.8.8.8',
        Array.from({ length: 9 }, () => caller('8.8.8.8', { incoming: false })),
      ),
    ).toBe('free');
  });

  it('is taken from the oldest silent peer if all are in use', () => {
    const open = callers(31, (index) => `${11 + index}.1.1.1`);
    expect(place('8.8.8.8', open.slice(1))).toBe('free');
    expect(place('8.8.8.8', open)).toBe('none');
    const [old, young] = [caller('5.5.5.5', { handshaken: false }), caller('6.6.6.6', { handshaken: false })];
    expect(place('8.8.8.8', [...open.slice(0, 20), old, ...open.slice(20, 29), young])).toBe(old);
  });
});

describe('limits of an address', () => {
  const harness = new Harness();
  const blocks = toyChain(3);
  const standing = { height: 4, tip: sha256(blocks[3]?.block ?? Buffer.alloc(0)) };
  afterEach(() => harness.stop());

  it('keep silent peers from blocking a new one', async () => {
    const { node, logger } = await harness.node(blocks, { inPeers: 1 });
    const silent: ScriptedPeer[] = [];
    for (let index = 0; index < 17; index += 1) silent.push(await ScriptedPeer.dial(node.port));
    const last = silent.at(-1);
    last?.send(Command.ping, commands.pingRequest.encode(), 'request');
    await last?.nextOf(Command.ping);
    const honest = await ScriptedPeer.dial(node.port);
    await honest.handshake(standing);
    await silent[0]?.closed;
    expect(logger.lines.some((line) => line.includes('gave its slot'))).toBe(true);
    expect(silent.slice(1).every((peer) => !peer.isClosed)).toBe(true);
    for (const peer of [...silent, honest]) peer.end();
  });

  it('are not reset by reconnecting', async () => {
    const clock = new SteppedClock();
    const started = await harness.node(blocks, {}, { clock, transport: disguised('93.184.216.34') });
    await started.pool.add(Buffer.from('one'));
    const join = async (): Promise<ScriptedPeer> => {
      const peer = await ScriptedPeer.dial(started.node.port);
      await peer.handshake(standing);
      return peer;
    };
    const request = (peer: ScriptedPeer): void =>
      peer.send(Command.requestPool, commands.requestPool.encode({ hashes: [] }));
    const first = await join();
    for (let round = 0; round < 10; round += 1) request(first);
    for (let round = 0; round < 10; round += 1) await first.nextOf(Command.newTransactions);
    first.end();
    const second = await join();
    request(second);
    await second.settle(standing);
    expect(second.left.filter(({ command }) => command === Command.newTransactions)).toEqual([]);
    clock.advance(10_000);
    request(second);
    await second.nextOf(Command.newTransactions);

    const unknown = commands.encodeFrame({
      command: 9_999,
      kind: 'notification',
      returnCode: 0,
      body: commands.pingRequest.encode(),
    });
    const frames = Buffer.concat(Array.from({ length: 2_500 }, () => unknown));
    second.raw(frames);
    await second.settle(standing);
    second.end();
    const third = await join();
    third.raw(frames);
    await third.closed;
    expect(started.logger.lines.some((line) => line.includes('too many messages'))).toBe(true);
  });

  it('are stored for 10,000 addresses, and for all connected ones', () => {
    const accounts = new AddressBudgets(
      () => 0,
      () => 0,
    );
    const host = (index: number): string => `11.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    const staying = accounts.enter({ host: '9.9.9.9', port: 1 });
    for (let index = 0; index < 12_000; index += 1) accounts.leave(accounts.enter({ host: host(index), port: 1 }));
    expect(accounts.size).toBe(10_000);
    expect(accounts.enter({ host: '9.9.9.9', port: 2 })).toBe(staying);
    const known = accounts.enter({ host: host(11_999), port: 5 });
    expect(accounts.enter({ host: host(11_999), port: 6 })).toBe(known);
  });

  it('apply to the /64, like scores and bans', () => {
    const budgets = new AddressBudgets(
      () => 0,
      () => 0,
    );
    const punish = (end: number): boolean => budgets.of({ host: `2a00:1:2:3::${end}`, port: 1 }).addPoints(34);
    expect([1, 2, 3].map(punish)).toEqual([false, false, true]);
    const bans = new Bans(() => 1_000);
    bans.add('2a00:1:2:3::1');
    expect(bans.list()).toEqual([{ host: '2a00:1:2:3::1', until: 1_900 }]);
    expect([bans.isBanned('2a00:1:2:3:ffff::2'), bans.isBanned('2a00:1:2:4::1')]).toEqual([true, false]);
    expect(bans.remove('2a00:1:2:3::7')).toBe(true);
    expect(bans.isBanned('2a00:1:2:3::1')).toBe(false);
  });
});
