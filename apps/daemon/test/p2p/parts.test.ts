import * as commands from '@wrkz/levin';
import { ByteBudget, Command } from '@wrkz/levin';
import { WriteQueue } from '../../src/p2p/connection/write-queue';
import { closeReasons } from '../../src/p2p/limits/close-reasons';
import { BatchHistory, BatchSize } from '../../src/p2p/sync/batch-size';
import { sparseChain } from '../../src/p2p/sync/chain-entry';
import { RecentHashes } from '../../src/p2p/hashes';
import { RateLimit } from '../../src/p2p/limits/address-budget';
import { reportNewThrow } from '../../src/p2p/report-errors';
import { FakeChain, sha256, TestLogger, toyChain, toyCodec } from './fakes';
import { Harness } from './harness';
import { hello } from './scripted-peer';

const hash = (number: number): Buffer => sha256(Buffer.from(String(number)));

describe('the write queue', () => {
  function queue(): { queue: WriteQueue; flush: () => void; time: { now: number }; written: Buffer[] } {
    const callbacks: (() => void)[] = [];
    const written: Buffer[] = [];
    const time = { now: 0 };
    const write = (bytes: Buffer, done: () => void): boolean => {
      written.push(bytes);
      callbacks.push(done);
      return true;
    };
    const flush = (): void => callbacks.shift()?.();
    return { queue: new WriteQueue({ write } as never, () => time.now, new ByteBudget(1 << 30)), flush, time, written };
  }

  it('holds 32 MiB and not a byte more', () => {
    const { queue: writes } = queue();
    expect(writes.push(Buffer.alloc(33), Buffer.alloc(32 * 1024 * 1024 - 33))).toBeUndefined();
    expect(writes.push(Buffer.alloc(1), Buffer.alloc(0))).toBe('writeQueueFull');
  });

  it('gives up when nothing leaves for two minutes, and not while something does', () => {
    const { queue: writes, flush, time } = queue();
    writes.push(Buffer.alloc(33), Buffer.alloc(1024 * 1024));
    for (let piece = 0; piece < 4; piece += 1) {
      time.now += 119_000;
      expect(writes.check()).toBeUndefined();
      flush();
    }
    time.now += 121_000;
    expect(writes.check()).toBe('writeTimeout');
    flush();
    expect(writes.size).toBe(0);
    time.now += 1_000_000;
    expect(writes.check()).toBeUndefined();
  });

  it('writes small frames in one piece, large ones in many, all of their bytes', async () => {
    const { queue: writes, flush, written } = queue();
    writes.push(Buffer.from('head'), Buffer.from('body'));
    expect(written.map(String)).toEqual(['headbody']);
    const body = Buffer.alloc(700_000, 7);
    writes.push(Buffer.from('head'), body);
    expect(Buffer.concat(written.slice(1)).equals(Buffer.concat([Buffer.from('head'), body]))).toBe(true);
    const waiting = writes.below(1000);
    while (writes.size > 0) flush();
    await waiting;
  });
});

describe('small parts', () => {
  it('a rate lets a burst through, then what flows in', () => {
    const rate = new RateLimit(2, 5, 0);
    expect(Array.from({ length: 7 }, () => rate.take(0))).toEqual([true, true, true, true, true, false, false]);
    expect([rate.take(400), rate.take(500), rate.take(600), rate.take(100_000, 6)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('recent hashes forget the oldest', () => {
    const recent = new RecentHashes(2);
    expect([1, 2, 1, 3].map((number) => recent.add(hash(number)))).toEqual([true, true, false, true]);
    expect([1, 2, 3].map((number) => recent.has(hash(number)))).toEqual([false, true, true]);
  });

  it('no reason costs points that depends on our clock or our state, and only a checkpoint bans at once', () => {
    const free = [
      'tooEarlyBlock',
      'orphans',
      'internalError',
      'memoryBudget',
      'syncStalled',
      'transactionsUnavailable',
      'refusedTransactions',
      'gaveWay',
      'evicted',
    ] as const;
    for (const name of free) expect(['none', 'avoid']).toContain(closeReasons[name].penalty);
    const bans = Object.entries(closeReasons).filter(([, reason]) => reason.penalty === 'ban');
    expect(bans.map(([name]) => name)).toEqual(['checkpointMismatch']);
    const points = Object.values(closeReasons).flatMap(({ penalty }) => (typeof penalty === 'number' ? [penalty] : []));
    expect(points.length).toBeGreaterThan(20);
    expect(Math.max(...points)).toBeLessThanOrEqual(50);
  });

  it('a batch grows while answers are quick, shrinks when slow, and keeps to its bytes', () => {
    const batch = new BatchSize({ min: 120, max: 600, most: 600, bytes: 16 * 1024 * 1024 });
    expect(batch.count).toBe(120);
    const counts = [];
    for (const milliseconds of [100, 100, 100, 100, 5_000, 11_000, 11_000, 11_000]) {
      batch.note(100, 100_000, milliseconds);
      counts.push(batch.count);
    }
    expect(counts).toEqual([240, 480, 600, 600, 600, 300, 150, 120]);
    for (let round = 0; round < 20; round += 1) batch.note(100, 100 * 500_000, 5_000);
    expect(batch.count).toBe(33);
    for (let round = 0; round < 40; round += 1) batch.note(1, 40_000_000, 5_000);
    expect(batch.count).toBe(1);
  });

  it('a batch is halved by a failure, below the least as well, for later peers too, and grows back', () => {
    const options = { min: 120, max: 600, most: 600, bytes: 16 * 1024 * 1024 };
    const history = new BatchHistory(options);
    const batch = new BatchSize(options, history);
    const counts = [];
    for (let failure = 0; failure < 8; failure += 1) {
      batch.failed();
      counts.push(batch.count);
    }
    expect(counts).toEqual([60, 30, 15, 7, 3, 1, 1, 1]);
    expect(new BatchSize(options, history).count).toBe(1);
    // A slow answer is no reason to ask for more.
    batch.note(1, 2_000, 11_000);
    expect(batch.count).toBe(1);
    for (let round = 0; round < 3; round += 1) batch.note(1, 2_000, 100);
    expect(batch.count).toBe(8);
    expect(new BatchSize(options, history).count).toBe(8);
    for (let round = 0; round < 10; round += 1) batch.note(1, 2_000, 100);
    expect(batch.count).toBe(600);
    expect(new BatchSize(options, history).count).toBe(120);
  });

  it('a batch stays below what a peer of the reference holds to be sent, whatever the option says', () => {
    const batch = new BatchSize({ min: 120, max: 600, most: 600, bytes: 1024 * 1024 * 1024 });
    batch.note(120, 120 * 2_000, 100);
    expect(batch.count).toBe(240);
    // Blocks that have become larger count at once.
    batch.note(240, 240 * 500_000, 100);
    expect(batch.count * 500_000).toBeLessThan(32_000_000 * 0.8);
  });

  it('a sparse chain has the tip, doubling distances, and genesis once', () => {
    const heights = (count: number): (number | undefined)[] => {
      const chain = new FakeChain(toyCodec, toyChain(count));
      return sparseChain(chain).map((item) => chain.heightOf(item));
    };
    expect(heights(0)).toEqual([0]);
    expect(heights(1)).toEqual([1, 0]);
    expect(heights(2)).toEqual([2, 1, 0]);
    expect(heights(20)).toEqual([20, 19, 18, 16, 12, 4, 0]);
    const chain = new FakeChain(toyCodec, toyChain(3));
    expect(sparseChain(chain, [hash(9)])[0]).toEqual(hash(9));
  });
});

describe('peers that keep only a part of the chain', () => {
  const harness = new Harness();
  const blocks = toyChain(10);
  const tip = Buffer.alloc(32, 1);
  afterEach(() => harness.stop());

  /** The first thing that the node asks of a called peer with these capabilities. */
  async function askedOf(capabilities: Partial<commands.SyncData>, prunedUpTo = 1000): Promise<number> {
    const server = await harness.server();
    await harness.node(blocks, {
      exclusiveNodes: [server.address],
      avoidsPrunedPeers: (height) => height >= prunedUpTo,
    });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    const { nodeData, syncData } = hello({ height: 100, tip });
    const answer = { nodeData, syncData: { ...syncData, ...capabilities }, peers: [], peers6: [] };
    peer.reply(Command.handshake, commands.handshakeResponse.encode(answer));
    const { command } = await peer.next();
    peer.end();
    return command;
  }

  it('are asked for their chain only when it joins ours', async () => {
    expect(await askedOf({})).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 0, prunedNodeHeight: 50, liteStartHeight: 50 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 2, liteStartHeight: 11 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 2, liteStartHeight: 12 })).toBe(Command.requestPool);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 11 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 12 })).toBe(Command.requestPool);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 0 }, 11)).toBe(Command.requestPool);
  });
});

test('a timer that fails in the same way in each run is logged once', () => {
  const logger = new TestLogger();
  const errors = [new Error('first'), undefined, new Error('second')];
  let run = 0;
  const callback = reportNewThrow(logger, 'a timer', () => {
    const error = errors[Math.floor(run++ / 5)];
    if (error !== undefined) throw error;
  });
  for (let i = 0; i < 15; i++) callback();
  expect(logger.lines.map((line) => line.split('\n')[0])).toEqual([
    'error a timer: Error: first',
    'error a timer: Error: second',
  ]);
});
