import { PassThrough } from 'node:stream';
import * as commands from '@wrkz/levin';
import { ByteBudget, Command, encodeFrame } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { PeerConnection } from '../../src/p2p/connection/peer-connection';
import { AddressBudget, RateLimit } from '../../src/p2p/limits/address-budget';
import { Bans } from '../../src/p2p/limits/bans';
import { systemClock } from '../../src/p2p/clock';
import { sha256, TestLogger, toyBlock, toyChain } from './fakes';
import { Harness, reaches } from './harness';

const HOUR = 3_600_000;
const steps = [
  ['back by an hour', -HOUR],
  ['forward by a day', 24 * HOUR],
] as const;

describe.each(steps)('a machine whose clock is set %s', (_, step) => {
  const harness = new Harness();
  const blocks = toyChain(5);
  const standing = { height: 6, tip: sha256(blocks[5]?.block ?? Buffer.alloc(0)) };
  let clock: SteppedClock;
  beforeEach(() => {
    clock = new SteppedClock();
  });
  afterEach(() => harness.stop());

  it('disconnects and bans no peer', async () => {
    const { node, chain } = await harness.node(blocks, { timedSyncInterval: 100 * HOUR }, { clock });
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(standing);
    await peer.nextOf(Command.requestPool);
    clock.step(step);
    clock.advance(1_000);
    for (let round = 0; round < 20; round += 1) {
      peer.send(Command.requestPool, commands.requestPool.encode({ hashes: [] }));
      await peer.settle(standing);
    }
    chain.add(toyBlock(standing.tip, 50));
    await peer.nextOf(Command.newLiteBlock);
    clock.advance(20_000);
    await peer.settle(standing);
    expect(peer.isClosed).toBe(false);
    expect(node.bans()).toEqual([]);
  });

  it('reconnects to lost peers as fast as before', async () => {
    const server = await harness.server();
    await harness.node(blocks, { exclusiveNodes: [server.address] }, { clock });
    const first = await server.caller();
    await first.handleHandshake(standing);
    await first.nextOf(Command.requestPool);
    clock.step(step);
    first.end();
    await first.closed;
    const again = server.caller();
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await (await again).nextOf(Command.handshake);
  });

  it('continues to download blocks, with the same timeouts as before', async () => {
    const { node, chain } = await harness.node(blocks.slice(0, 2), { timedSyncInterval: 100 * HOUR }, { clock });
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(standing);
    const tips = blocks.map((raw) => sha256(raw.block));
    await peer.nextOf(Command.requestChain);
    peer.send(
      Command.responseChain,
      commands.responseChain.encode({ startHeight: 1, totalHeight: 6, hashes: tips.slice(1) }),
    );
    await peer.nextOf(Command.requestObjects);
    clock.step(step);
    clock.advance(30_000);
    peer.send(
      Command.responseObjects,
      commands.responseObjects.encode({ transactions: [], blocks: blocks.slice(2), missed: [], currentHeight: 6 }),
    );
    await reaches(chain, 5);
    expect(peer.isClosed).toBe(false);
  });

  it('sends the new time to peers', async () => {
    const { node } = await harness.node(blocks, {}, { clock });
    clock.step(step);
    const peer = await ScriptedPeer.dial(node.port);
    const { nodeData } = await peer.handshake(standing);
    expect(Number(nodeData.localTime)).toBe(Math.floor(clock.wall() / 1000));
  });
});

describe('when the system clock is set', () => {
  it('intervals are not affected', () => {
    const before = systemClock.now();
    const set = jest.spyOn(Date, 'now').mockReturnValue(1_000);
    try {
      expect(systemClock.wall()).toBe(1_000);
      expect(systemClock.now()).toBeGreaterThanOrEqual(before);
      expect(systemClock.now() - before).toBeLessThan(HOUR);
    } finally {
      set.mockRestore();
    }
  });

  it('a ban ends after its time when the clock is set back, and earlier when it is set forward', () => {
    const time = { wall: 1_800_000_000, steady: 50 };
    const bans = new Bans(
      () => time.wall,
      () => time.steady,
    );
    bans.add('8.8.8.8');
    time.wall -= 3600;
    time.steady += 899;
    expect(bans.isBanned('8.8.8.8')).toBe(true);
    expect(bans.list()).toEqual([{ host: '8.8.8.8', until: time.wall + 1 }]);
    time.steady += 1;
    expect(bans.isBanned('8.8.8.8')).toBe(false);
    bans.add('9.9.9.9');
    time.wall += 86_400;
    expect(bans.isBanned('9.9.9.9')).toBe(false);
  });

  it('a rate limit grants nothing for the step', () => {
    const rate = new RateLimit(1, 3, 10_000);
    expect([rate.take(10_000), rate.take(0), rate.take(0), rate.take(0)]).toEqual([true, true, true, false]);
    expect(rate.take(1_000)).toBe(true);
  });
});

describe('a frame that arrives slowly', () => {
  function arriving(): { clock: SteppedClock; receive: (bytes: number) => void; tick: () => void; closed: string[] } {
    const clock = new SteppedClock();
    const socket = new PassThrough();
    const closed: string[] = [];
    const connection = new PeerConnection({
      socket,
      remote: { host: '93.184.216.34', port: 17855 },
      incoming: true,
      clock,
      logger: new TestLogger(),
      share: new ByteBudget(100_000_000),
      budget: new AddressBudget(
        () => 0,
        () => 0,
      ),
      limitOf: () => 50_000_000,
      onClose: (reason) => closed.push(reason.text),
    });
    const body = Buffer.alloc(4 * 1024 * 1024);
    const frame = { command: Command.responseObjects, kind: 'notification', returnCode: 0 } as const;
    socket.emit('data', encodeFrame({ ...frame, body }).subarray(0, 100));
    return {
      clock,
      receive: (bytes) => socket.emit('data', Buffer.alloc(bytes)),
      tick: () => connection.tick(),
      closed,
    };
  }

  it('does not close its connection while it makes progress', () => {
    const { clock, receive, tick, closed } = arriving();
    for (let seconds = 0; seconds < 1_200; seconds += 10) {
      clock.advance(10_000);
      receive(8 * 1024);
      tick();
    }
    expect(closed).toEqual([]);
    clock.advance(121_000);
    tick();
    expect(closed).toEqual(['frame not completed in time']);
  });

  it('closes its connection if it only trickles', () => {
    const { clock, receive, tick, closed } = arriving();
    for (let seconds = 0; seconds < 130; seconds += 10) {
      clock.advance(10_000);
      receive(100);
      tick();
    }
    expect(closed).toEqual(['frame not completed in time']);
  });
});
