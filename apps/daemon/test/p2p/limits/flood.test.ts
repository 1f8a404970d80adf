import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { hello, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import type { P2pDependencies } from '../../../src/p2p/context';
import { POOL_BYTES } from '../../../src/mempool/limits';
import { namedHashes } from '../../../src/p2p/hashes';
import { type FakeChain, type FakePool, sha256, toyBlock, toyChain, toyCodec } from '../fakes';
import { closedFor, disguised, Harness, reaches, type TestNode } from '../harness';

const harness = new Harness();
const blocks = toyChain(5);
const tip = sha256(blocks[5]?.block ?? Buffer.alloc(0));
const standing = { height: 6, tip };
afterEach(() => harness.stop());

type Parts = Partial<Pick<P2pDependencies, 'codec' | 'clock' | 'transport' | 'stopwatch'>>;

async function withPeer(parts: Parts = {}): Promise<TestNode & { peer: ScriptedPeer }> {
  const started = await harness.node(blocks, {}, parts);
  return { ...started, peer: await welcome(started) };
}

async function welcome({ node }: TestNode, peerId = 1n): Promise<ScriptedPeer> {
  const peer = await ScriptedPeer.dial(node.port);
  await peer.handshake({ ...standing, peerId });
  await peer.nextOf(Command.requestPool);
  return peer;
}

/** A block that names this many unknown transactions. */
function naming(count: number, previous = tip): RawBlock {
  const transactions = Array.from({ length: count }, (_, index) => Buffer.from(`made up ${index}`));
  return { block: toyBlock(previous, 99, transactions).block, transactions: [] };
}

const hashOf = (raw: RawBlock): Buffer => sha256(raw.block);
const keyOf = (raw: RawBlock): string => hashOf(raw).toString('hex');
const announce = (peer: ScriptedPeer, { block }: RawBlock): void =>
  peer.send(Command.newLiteBlock, commands.newLiteBlock.encode({ currentHeight: 7, hop: 0, block }));
const lookUps = ({ chain, pool }: { chain: FakeChain; pool: FakePool }): number => chain.lookUps + pool.lookUps;

describe('an announced block', () => {
  it('without proof of work causes no chain read, and costs its sender points', async () => {
    const started = await withPeer();
    const worthless = naming(9_000);
    started.chain.work.set(keyOf(worthless), 'fails');
    announce(started.peer, worthless);
    await closedFor(started, 'block is invalid');
    expect(lookUps(started)).toBe(0);
    expect(started.peer.left).toEqual([]);
  });

  it('without proof of work is not passed to the chain even if complete', async () => {
    const started = await withPeer();
    const worthless = toyBlock(tip, 7);
    started.chain.work.set(keyOf(worthless), 'fails');
    started.peer.send(Command.newBlock, commands.newBlock.encode({ block: worthless, currentHeight: 7, hop: 0 }));
    await closedFor(started, 'block is invalid');
    expect(started.chain.calls).toEqual([]);
  });

  it('with more transactions than a block can hold is not hashed', async () => {
    let hashed = 0;
    let parsed = 0;
    const codec = {
      ...toyCodec,
      parse: (bytes: Buffer) => ({
        ...((parsed += 1), toyCodec.parse(bytes)),
        get hash(): Buffer {
          hashed += 1;
          return sha256(bytes);
        },
      }),
    };
    const started = await withPeer({ codec });
    started.chain.mostTransactions = 100;
    hashed = 0;
    announce(started.peer, naming(101));
    await closedFor(started, 'more transactions than allowed');
    expect([hashed, started.chain.worked, lookUps(started)]).toEqual([0, 0, 0]);

    const long = await withPeer({ codec });
    long.chain.longest = 1_000;
    parsed = 0;
    announce(long.peer, naming(40));
    await closedFor(long, 'more transactions than allowed');
    expect(parsed).toBe(0);

    const fits = await withPeer({ codec });
    fits.chain.mostTransactions = 100;
    announce(fits.peer, naming(100));
    await fits.peer.nextOf(Command.missingTransactions);
    fits.peer.end();
  });

  it('has its proof of work checked once for any number of announcers, and never if it is known or an orphan', async () => {
    const started = await withPeer();
    const next = toyBlock(tip, 8, [Buffer.from('one')]);
    const others = [started.peer, await welcome(started, 2n), await welcome(started, 3n)];
    for (const peer of others) announce(peer, next);
    for (const peer of others) announce(peer, { block: blocks[3]?.block ?? tip, transactions: [] });
    for (const peer of others) await peer.settle(standing);
    expect(started.chain.worked).toBe(1);
    announce(others[2] ?? started.peer, toyBlock(Buffer.alloc(32, 5), 9));
    await others[2]?.nextOf(Command.requestChain);
    expect(started.chain.worked).toBe(1);
    for (const peer of others) peer.end();
  });

  it('far below the tip is not downloaded: the chain of its sender is requested', async () => {
    const started = await withPeer();
    const deep = naming(9_000, sha256(blocks[1]?.block ?? tip));
    started.chain.work.set(keyOf(deep), 'deep');
    announce(started.peer, deep);
    await started.peer.nextOf(Command.requestChain);
    expect(lookUps(started)).toBe(0);
    started.peer.end();
  });
});

function inSteps<T>(work: Generator<void, T>): { steps: number; result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

describe('hashes in a message of a peer', () => {
  const hash = (number: number): Buffer => sha256(Buffer.from(String(number)));

  it('of a pool cost nothing each: only sent transactions are looked up', async () => {
    const started = await withPeer();
    const ours = ['a', 'b', 'c'].map((text) => Buffer.from(text));
    for (const bytes of ours) await started.pool.add(bytes);
    await started.peer.nextOf(Command.newTransactions);
    const before = started.pool.lookUps;
    const hashes: Buffer[] = Array.from({ length: 250_000 }, (_, index) => {
      const made = Buffer.alloc(32, 1);
      made.writeUInt32LE(index, 4);
      return made;
    });
    hashes[200_000] = sha256(Buffer.from('b'));
    started.peer.send(Command.requestPool, commands.requestPool.encode({ hashes }));
    const { body } = await started.peer.nextOf(Command.newTransactions);
    expect(commands.newTransactions.decode(body).transactions).toEqual([ours[0], ours[2]]);
    expect(started.pool.lookUps - before).toBe(2);
    started.peer.end();
  });

  it('of a full pool of the smallest transactions do not disconnect the peer', async () => {
    const { peer } = await withPeer();
    // The smallest transaction has 105 bytes.
    const hashes = new Array<Buffer>(Math.floor(POOL_BYTES / 105)).fill(Buffer.alloc(32, 1));
    peer.send(Command.requestPool, commands.requestPool.encode({ hashes }));
    await Promise.race([peer.settle(standing), peer.closed]);
    expect(peer.isClosed).toBe(false);
    peer.end();
  });

  it('are found among ours at any position, also those with a common prefix', () => {
    const ours = Array.from({ length: 20 }, (_, index) => hash(index));
    const alike = Buffer.from(ours[3] ?? tip);
    alike[31] = (alike[31] ?? 0) ^ 1;
    const packed = Buffer.concat([alike, hash(100), ...ours.slice(5, 8), hash(101)]);
    const found = (own: readonly Buffer[]): readonly Buffer[] => [...inSteps(namedHashes(own, packed)).result];
    expect(found(ours)).toEqual(ours.slice(5, 8));
    expect(found([...ours, alike])).toContainEqual(alike);
    expect(found([])).toEqual([]);
  });

  it('are compared with ours in steps of 1,000', () => {
    const ours = Array.from({ length: 10_000 }, (_, index) => hash(index));
    const { steps, result } = inSteps(namedHashes(ours, Buffer.concat(ours)));
    expect([steps, result.size]).toEqual([20, 10_000]);
  });

  it('as missing are looked up to the maximum of a block, and no further than the first unknown one', async () => {
    const request = (peer: ScriptedPeer, hashes: Buffer[]): void =>
      peer.send(
        Command.missingTransactions,
        commands.missingTransactions.encode({ currentHeight: 6, blockHash: tip, hashes }),
      );
    const many = await withPeer();
    many.chain.mostTransactions = 100;
    request(
      many.peer,
      Array.from({ length: 101 }, (_, index) => hash(index)),
    );
    await closedFor(many, 'transactions that we do not have');
    expect(lookUps(many)).toBe(0);
    const nowhere = await withPeer();
    request(
      nowhere.peer,
      Array.from({ length: 100 }, (_, index) => hash(index)),
    );
    await closedFor(nowhere, 'transactions that we do not have');
    expect(lookUps(nowhere)).toBe(2);
  });
});

describe('the event loop time of a peer', () => {
  /** A stopwatch by which each piece of work takes 700 ms. */
  const slow = (): (() => number) => {
    let time = 0;
    return () => (time += 700);
  };
  const askTime = (peer: ScriptedPeer): void =>
    peer.send(
      Command.timedSync,
      commands.timedSyncRequest.encode({ syncData: { currentHeight: 6, tipHash: tip } }),
      'request',
    );

  it('is limited to a share: only a peer that has used it is delayed', async () => {
    const clock = new SteppedClock();
    const started = await withPeer({ clock, stopwatch: slow() });
    // The handshake took 700 ms and the first request 700 ms more: 400 ms above the allowed burst.
    askTime(started.peer);
    await started.peer.nextOf(Command.timedSync);
    askTime(started.peer);
    const other = await welcome(started, 2n);
    await other.settle(standing);
    expect(started.peer.left).toEqual([]);
    clock.advance(3_999);
    const third = await welcome(started, 3n);
    expect(started.peer.left).toEqual([]);
    clock.advance(1);
    await started.peer.nextOf(Command.timedSync);
    for (const peer of [started.peer, other, third]) peer.end();
  });

  it('is yielded between the transactions of a response for a lite block', async () => {
    let hashed = 0;
    let hashedBefore: number | undefined;
    const isSlow = (bytes: Buffer): boolean => bytes.toString().startsWith('slow');
    const codec = {
      ...toyCodec,
      transactionHash(bytes: Buffer) {
        if (isSlow(bytes)) {
          if (hashed === 0) setImmediate(() => (hashedBefore = hashed));
          for (const start = performance.now(); performance.now() - start < 20;);
          hashed += 1;
        }
        return toyCodec.transactionHash(bytes);
      },
    };
    const { peer } = await withPeer({ codec });
    announce(peer, naming(1));
    await peer.nextOf(Command.missingTransactions);
    peer.sendTransactions(Array.from({ length: 5 }, (_, index) => Buffer.from(`slow ${index}`)));
    await peer.settle(standing);
    expect(hashed).toBeGreaterThanOrEqual(5);
    expect(hashedBefore).toBeLessThan(5);
    peer.end();
  });

  it('excludes our own requests', async () => {
    const clock = new SteppedClock();
    const started = await withPeer({ clock, stopwatch: slow() });
    const transactions = Array.from({ length: 50 }, (_, index) => Buffer.from(`asked ${index}`));
    started.peer.send(Command.newTransactions, commands.newTransactions.encode({ transactions }));
    await started.peer.settle(standing);
    expect(started.pool.hashes()).toHaveLength(50);
    started.peer.end();
  });

  it('leads to a ban of an address that always uses it up, but not of one that downloads our chain', async () => {
    const clock = new SteppedClock();
    const hosts = ['93.184.216.34', '8.8.8.8'];
    const transport = disguised(() => hosts.shift() ?? '9.9.9.9');
    const started = await withPeer({ clock, stopwatch: slow(), transport });
    const syncing = await welcome(started, 2n);
    const fetch = (): void =>
      syncing.send(Command.requestChain, commands.requestChain.encode({ hashes: [hashOf(blocks[0] ?? naming(0))] }));
    for (let round = 0; round < 30; round += 1) {
      fetch();
      askTime(started.peer);
    }
    // The debt of each piece of work is seven seconds. More than a minute of debt in an hour is a penalty.
    for (let round = 0; round < 30 && !started.peer.isClosed; round += 1) {
      await Promise.race([started.peer.nextOf(Command.timedSync), started.peer.closed]);
      clock.advance(7_000);
    }
    await started.peer.closed;
    expect(started.logger.lines.some((line) => line.includes('exceeds its share of processing time'))).toBe(true);
    expect(syncing.isClosed).toBe(false);
    syncing.end();
  });
});

describe('a flood of timed syncs from four addresses', () => {
  const addresses = ['91.1.1.1', '92.1.1.1', '93.1.1.1', '94.1.1.1'];
  /** A body of `bytes` with unknown fields, which the decoder skips. */
  const padded = (bytes: number): Buffer => {
    const body = commands.timedSyncRequest.encode({ syncData: { currentHeight: 6, tipHash: tip } });
    const count = body.indexOf('payload_data') - 2;
    const field = Buffer.concat([Buffer.from([1, 0x7a, 10]), Buffer.alloc(4)]);
    field.writeUInt32LE(((bytes - body.length) << 2) | 2, 3);
    const whole = Buffer.concat([body, field, Buffer.alloc(bytes - body.length)]);
    whole.writeUInt8((whole.readUInt8(count) + 4) & 0xff, count);
    return whole;
  };
  const greeting = commands.handshakeRequest.encode(hello({ ...standing, peerId: 9n }));

  it.each([
    ['of 249 KB', 249_000, 1, 'frame larger'],
    ['of 4 KB', 4_000, 5_000, 'too many messages'],
  ])('%s closes each connection, and bans each address, after few of them', async (_, bytes, count, reason) => {
    let caller = 0;
    const transport = disguised(() => addresses[caller++ % addresses.length] ?? '8.8.8.8');
    const { node, logger } = await harness.node(blocks, {}, { transport, clock: new SteppedClock() });
    const body = padded(bytes);
    let answered = 0;
    for (let round = 0; round < 3 && node.bans().length < addresses.length; round += 1) {
      const peers: ScriptedPeer[] = [];
      for (const _address of addresses) peers.push(await ScriptedPeer.dial(node.port));
      for (const peer of peers) {
        peer.send(Command.handshake, greeting, 'request');
        for (let frame = 0; frame < count; frame += 1) peer.send(Command.timedSync, body, 'request');
      }
      await Promise.all(peers.map(({ closed }) => closed));
      answered += peers.flatMap(({ left }) => left).filter(({ command }) => command === Command.timedSync).length;
    }
    expect(
      node
        .bans()
        .map(({ host }) => host)
        .sort(),
    ).toEqual(addresses);
    expect(answered).toBeLessThanOrEqual(4 * 60);
    expect(logger.lines.filter((line) => line.includes('closed:')).every((line) => line.includes(reason))).toBe(true);
  });
});

describe('transactions', () => {
  const made = (count: number, name: string): Buffer[] =>
    Array.from({ length: count }, (_, index) => Buffer.from(`${name} ${index}`));
  const relay = (peer: ScriptedPeer, transactions: Buffer[]): void =>
    peer.send(Command.newTransactions, commands.newTransactions.encode({ transactions }));

  it('that entered the pool in between cost their sender no points, in any number', async () => {
    const started = await withPeer({ clock: new SteppedClock() });
    const known = made(3_000, 'known');
    for (const bytes of known) await started.pool.add(bytes);
    // Another peer delivers them concurrently: they are missing at the lookup, and present when they are added.
    started.pool.has = () => false;
    relay(started.peer, known);
    await started.peer.settle(standing);
    expect(started.pool.validated).toBe(6_000);
    expect(started.peer.isClosed).toBe(false);
    relay(started.peer, known);
    await started.peer.settle(standing);
    expect(started.peer.isClosed).toBe(false);
    started.peer.end();
  });

  it('that no node can accept ban the addresses that send them, with bounded work', async () => {
    const addresses = Array.from({ length: 12 }, (_, index) => `93.${index}.216.34`);
    let caller = 0;
    const transport = disguised(() => addresses[Math.floor(caller++ / 3)] ?? '8.8.8.8');
    const started = await harness.node(blocks, {}, { transport, clock: new SteppedClock() });
    let sent = 0;
    for (const address of addresses) {
      for (let round = 0; round < 3; round += 1) {
        const peer = await welcome(started, BigInt(round + 1));
        const forged = made(1_882, `${address} ${round}`);
        for (const bytes of forged) started.pool.forged.add(sha256(bytes).toString('hex'));
        sent += forged.length;
        relay(peer, forged);
        await peer.closed;
      }
    }
    expect(sent).toBeGreaterThan(67_750);
    expect(started.node.bans().map(({ host }) => host)).toEqual(addresses);
    expect(started.pool.validated).toBeLessThanOrEqual(12 * 3 * 16);
    // Another address is still accepted.
    const honest = await welcome(started);
    relay(honest, [Buffer.from('honest')]);
    await honest.settle(standing);
    expect(started.pool.hashes()).toHaveLength(1);
    honest.end();
  });

  it('that are invalid on our chain are allowed in small numbers per address, over all its connections, and cost no points', async () => {
    const started = await harness.node(
      blocks,
      {},
      { transport: disguised('93.184.216.34'), clock: new SteppedClock() },
    );
    const foreign = made(1_500, 'foreign');
    for (const bytes of foreign) started.pool.refuse.add(sha256(bytes).toString('hex'));
    const first = await welcome(started);
    relay(first, foreign.slice(0, 1_000));
    await first.settle(standing);
    first.end();
    for (const start of [1_000, 1_100, 1_200, 1_300]) {
      const peer = await welcome(started);
      relay(peer, foreign.slice(start, start + 100));
      await peer.closed;
    }
    expect(started.pool.validated).toBeLessThanOrEqual(1_000 + 4 * 16);
    expect(started.node.bans()).toEqual([]);
  });

  it('larger than any block are not hashed', async () => {
    let hashed = 0;
    const codec = { ...toyCodec, transactionHash: (bytes: Buffer) => ((hashed += 1), sha256(bytes)) };
    const started = await withPeer({ codec });
    started.chain.longest = 1_000;
    hashed = 0;
    relay(started.peer, [Buffer.from('small'), Buffer.alloc(1_001)]);
    await closedFor(started, 'transaction is invalid');
    expect(hashed).toBe(0);
  });

  it('of a waiting block are processed during the flood', async () => {
    const started = await withPeer();
    const [bytes = tip] = made(1, 'of a block');
    const next = toyBlock(tip, 50, [bytes]);
    announce(started.peer, next);
    await started.peer.nextOf(Command.missingTransactions);
    relay(started.peer, [bytes]);
    await reaches(started.chain, 6);
    started.peer.end();
  });
});
