import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { Link, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { TransactionRelay } from '../../../src/p2p/relay/transaction-relay';
import type { Session } from '../../../src/p2p/session/session';
import { FakePool, sha256, TestLogger, toyBlock, toyChain, toyCodec } from '../fakes';
import { Harness, reaches, type TestNode } from '../harness';

const hashOf = (raw: RawBlock): Buffer => sha256(raw.block);

describe('relay', () => {
  const harness = new Harness();
  const blocks = toyChain(5);
  const tip = sha256(blocks[5]?.block ?? Buffer.alloc(0));
  const standing = { height: 6, tip };
  const [t1, t2, t3] = [Buffer.from('first'), Buffer.from('second'), Buffer.from('third')];
  const next = toyBlock(tip, 50, [t1, t2, t3]);
  const tall = { height: 7, tip: hashOf(next) };
  afterEach(() => harness.stop());

  async function withPeers(count: number, clock?: SteppedClock): Promise<TestNode & { peers: ScriptedPeer[] }> {
    const started = await harness.node(blocks, {}, clock === undefined ? {} : { clock });
    const peers: ScriptedPeer[] = [];
    for (let index = 0; index < count; index += 1) {
      const peer = await ScriptedPeer.dial(started.node.port);
      await peer.handshake({ ...standing, peerId: BigInt(index + 1) });
      await peer.nextOf(Command.requestPool);
      peers.push(peer);
    }
    return { ...started, peers };
  }

  const announce = (peer: ScriptedPeer | undefined, raw: RawBlock, hop = 0): void => {
    peer?.sendLiteBlock(raw.block, 7, hop);
  };
  const supply = (peer: ScriptedPeer | undefined, transactions: Buffer[]): void => {
    peer?.sendTransactions(transactions);
  };

  it('completes a lite block from the pool and requests the rest', async () => {
    const { chain, pool, peers } = await withPeers(2);
    const [sender, other] = peers;
    await pool.add(t2);
    await other?.nextOf(Command.newTransactions);
    announce(sender, next, 3);
    const request = await sender?.nextOf(Command.missingTransactions);
    expect(commands.missingTransactions.decode(request?.body ?? Buffer.alloc(0))).toEqual({
      currentHeight: 7,
      blockHash: hashOf(next),
      hashes: [sha256(t1), sha256(t3)],
    });
    supply(sender, [t3, t1]);
    await reaches(chain, 6);
    // Relayed with one hop more, and not back to the sender.
    const relayed = await other?.nextOf(Command.newLiteBlock);
    expect(commands.newLiteBlock.decode(relayed?.body ?? Buffer.alloc(0))).toEqual({
      currentHeight: 7,
      hop: 4,
      block: next.block,
    });
    await sender?.settle(tall);
    expect(sender?.left.filter(({ command }) => command === Command.newLiteBlock)).toEqual([]);
  });

  it('sends no transaction back to the peer that sent it, however many are in a message', async () => {
    const { pool, peers } = await withPeers(2);
    const [sender, other] = peers;
    const transactions = Array.from({ length: 10_100 }, (_, index) => Buffer.from(`transaction ${index}`));
    supply(sender, transactions);
    await sender?.settle(standing);
    const { body } = (await other?.nextOf(Command.newTransactions)) ?? { body: Buffer.alloc(0) };
    expect(commands.newTransactions.decode(body).transactions).toHaveLength(transactions.length);
    await sender?.settle(standing);
    expect(sender?.left.filter(({ command }) => command === Command.newTransactions)).toHaveLength(0);
    expect(pool.hashes()).toHaveLength(transactions.length);
  });

  it('relays transactions that a waiting block does not need', async () => {
    const { chain, pool, peers } = await withPeers(1);
    announce(peers[0], next);
    await peers[0]?.nextOf(Command.missingTransactions);
    const stray = Buffer.from('stray');
    supply(peers[0], [stray]);
    supply(peers[0], [t1, t2, t3]);
    await reaches(chain, 6);
    expect(pool.has(sha256(stray))).toBe(true);
  });

  it('closes a peer that supplies only a part and requests the rest from the next announcer', async () => {
    const { chain, peers, logger } = await withPeers(2);
    const [bad, good] = peers;
    announce(bad, next);
    await bad?.nextOf(Command.missingTransactions);
    announce(good, next);
    await good?.settle(standing);
    supply(bad, [t1]);
    await bad?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
    await good?.nextOf(Command.missingTransactions);
    supply(good, [t1, t2, t3]);
    await reaches(chain, 6);
  });

  it('closes a peer that never supplies after 20 seconds', async () => {
    const clock = new SteppedClock();
    const { peers, logger } = await withPeers(1, clock);
    announce(peers[0], next);
    await peers[0]?.nextOf(Command.missingTransactions);
    clock.advance(21_000);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  const requestOf = async (peer: ScriptedPeer | undefined): Promise<Buffer> => {
    const { body } = (await peer?.nextOf(Command.missingTransactions)) ?? { body: Buffer.alloc(0) };
    return commands.missingTransactions.decode(body).blockHash;
  };

  it('requests the transactions once from a peer that repeats its announcement', async () => {
    const clock = new SteppedClock();
    const { peers } = await withPeers(1, clock);
    announce(peers[0], next);
    await requestOf(peers[0]);
    announce(peers[0], next);
    await peers[0]?.settle(tall);
    clock.advance(2_000);
    await peers[0]?.settle(tall);
    expect(peers[0]?.left.filter(({ command }) => command === Command.missingTransactions)).toEqual([]);
  });

  it('requests withheld transactions from the next announcer after two seconds', async () => {
    const clock = new SteppedClock();
    const { chain, peers, logger } = await withPeers(3, clock);
    const [first, second, third] = peers;
    announce(first, next);
    await requestOf(first);
    for (const peer of [second, third]) {
      announce(peer, next);
      await peer?.settle(standing);
      expect(peer?.left).toEqual([]);
    }
    clock.advance(2_000);
    expect(await requestOf(second)).toEqual(hashOf(next));
    expect(third?.left).toEqual([]);
    clock.advance(2_000);
    await requestOf(third);
    supply(third, [t1, t2, t3]);
    await reaches(chain, 6);
    // The second is late, which is no fault; the first never responds, which is a fault.
    supply(second, [t1, t2, t3]);
    await second?.settle(tall);
    clock.advance(17_000);
    await first?.closed;
    expect(logger.lines.filter((line) => line.includes('closed:'))).toEqual([expect.stringContaining('not supplied')]);
    expect(chain.calls).toHaveLength(1);
    expect([second?.isClosed, third?.isClosed]).toEqual([false, false]);
  });

  it('requests the transactions from the next announcer when the first disconnects', async () => {
    const { chain, peers } = await withPeers(2, new SteppedClock());
    announce(peers[0], next);
    await requestOf(peers[0]);
    announce(peers[1], next);
    await peers[1]?.settle(standing);
    peers[0]?.end();
    expect(await requestOf(peers[1])).toEqual(hashOf(next));
    supply(peers[1], [t1, t2, t3]);
    await reaches(chain, 6);
  });

  it('downloads the whole block when no announcer has sent its transactions for two seconds', async () => {
    const clock = new SteppedClock();
    const { chain, peers } = await withPeers(1, clock);
    const [peer] = peers;
    announce(peer, next);
    await requestOf(peer);
    clock.advance(2_000);
    await peer?.nextOf(Command.requestChain);
    peer?.sendChain(5, [tip, hashOf(next)], 7);
    await peer?.nextOf(Command.requestObjects);
    peer?.sendObjects({ blocks: [next], currentHeight: 7 });
    await reaches(chain, 6);
  });

  it('downloads a whole block when the link loses the request for its transactions', async () => {
    const clock = new SteppedClock();
    const miner = await harness.node(blocks);
    const link = await Link.to(miner.node.port);
    const lost = new Promise<void>((resolve) => {
      link.fate = ({ command }) => (command === Command.missingTransactions ? (resolve(), 'lose') : 'pass');
    });
    const address = { host: '127.0.0.1', port: link.port };
    const { node, chain } = await harness.node(blocks, { exclusiveNodes: [address] }, { clock });
    while (node.peers()[0]?.state !== 'normal') await new Promise((resolve) => setImmediate(resolve));
    miner.chain.add(next);
    await lost;
    clock.advance(2_000);
    await reaches(chain, 6);
    await link.close();
  });

  it('completes a block as soon as other peers have relayed its transactions', async () => {
    const { chain, peers } = await withPeers(2, new SteppedClock());
    announce(peers[0], next);
    await requestOf(peers[0]);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(chain.tip().height).toBe(5);
    supply(peers[1], [t2, t3]);
    await reaches(chain, 6);
    expect(chain.calls).toHaveLength(1);
  });

  it('adds a whole block although the transactions of its lite block are requested', async () => {
    const { chain, peers } = await withPeers(2);
    announce(peers[0], next);
    await requestOf(peers[0]);
    peers[1]?.send(Command.newBlock, commands.newBlock.encode({ block: next, currentHeight: 7, hop: 0 }));
    await reaches(chain, 6);
  });

  it('does not cancel a request because of a new announcement', async () => {
    const clock = new SteppedClock();
    const { peers, logger } = await withPeers(1, clock);
    announce(peers[0], next);
    await requestOf(peers[0]);
    clock.advance(1_500);
    announce(peers[0], toyBlock(tip, 51, [t1]));
    await requestOf(peers[0]);
    announce(peers[0], next);
    await peers[0]?.settle(standing);
    expect(peers[0]?.left).toEqual([]);
    clock.advance(19_000);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  it('completes two blocks of one peer', async () => {
    const { chain, peers } = await withPeers(1);
    const other = toyBlock(tip, 51, [t1, Buffer.from('fourth')]);
    for (const raw of [next, other]) {
      announce(peers[0], raw);
      expect(await requestOf(peers[0])).toEqual(hashOf(raw));
    }
    supply(peers[0], [t1, t2, t3]);
    await reaches(chain, 6);
    supply(peers[0], [...other.transactions]);
    await peers[0]?.settle(tall);
    expect(chain.isKnown(hashOf(other))).toBe(true);
  });

  it('limits the incomplete blocks of a peer to four', async () => {
    const { peers, logger } = await withPeers(1);
    for (let salt = 0; salt < 4; salt += 1) {
      announce(peers[0], toyBlock(tip, 60 + salt, [t1]));
      await requestOf(peers[0]);
    }
    announce(peers[0], toyBlock(tip, 70, [t1]));
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  it('derives the height of a peer from its block', async () => {
    const { node, peers } = await withPeers(1);
    const body = commands.newLiteBlock.encode({ currentHeight: 2 ** 32 - 1, hop: 0, block: next.block });
    peers[0]?.send(Command.newLiteBlock, body);
    await requestOf(peers[0]);
    expect(node.networkHeight()).toBe(7);
  });

  it('holds transactions back behind a lite block until its own were requested, or two seconds', async () => {
    const clock = new SteppedClock();
    const { chain, pool, peers } = await withPeers(2, clock);
    const [asks, keeps] = peers;
    chain.add(next);
    const late = Buffer.from('late');
    await pool.add(late);
    for (const peer of peers) {
      await peer.nextOf(Command.newLiteBlock);
      await peer.settle(tall);
      expect(peer.left).toEqual([]);
    }
    asks?.send(
      Command.missingTransactions,
      commands.missingTransactions.encode({ currentHeight: 7, blockHash: hashOf(next), hashes: [sha256(t1)] }),
    );
    for (const expected of [[t1], [late]]) {
      const { body } = (await asks?.nextOf(Command.newTransactions)) ?? { body: Buffer.alloc(0) };
      expect(commands.newTransactions.decode(body).transactions).toEqual(expected);
    }
    clock.advance(3_000);
    const { body } = (await keeps?.nextOf(Command.newTransactions)) ?? { body: Buffer.alloc(0) };
    expect(commands.newTransactions.decode(body).transactions).toEqual([late]);
  });

  it('adds a whole block', async () => {
    const { chain, peers } = await withPeers(1);
    const body = commands.newBlock.encode({ block: next, currentHeight: 7, hop: 0 });
    peers[0]?.send(Command.newBlock, body);
    await reaches(chain, 6);
  });

  it('requests the chain of a peer that announces an orphan', async () => {
    const { peers } = await withPeers(1);
    announce(peers[0], toyBlock(hashOf(next), 60));
    const { body } = (await peers[0]?.nextOf(Command.requestChain)) ?? { body: Buffer.alloc(0) };
    const { hashes } = commands.requestChain.decode(body);
    // Tip, then 1, 2 and 4 below it, then genesis.
    expect(hashes).toEqual([5, 4, 3, 1, 0].map((height) => sha256(blocks[height]?.block ?? Buffer.alloc(0))));
  });

  it('closes the connection on an invalid block and on garbage, not on a known block', async () => {
    const first = await withPeers(1);
    first.chain.refuse.set(hashOf(next).toString('hex'), 'BLOCK_REWARD_MISMATCH');
    announce(first.peers[0], next);
    await first.peers[0]?.nextOf(Command.missingTransactions);
    supply(first.peers[0], [t1, t2, t3]);
    await first.peers[0]?.closed;

    const second = await withPeers(1);
    announce(second.peers[0], { block: Buffer.from('garbage'), transactions: [] });
    await second.peers[0]?.closed;

    const third = await withPeers(1);
    announce(third.peers[0], blocks[3] ?? next);
    await third.peers[0]?.settle(standing);
    expect(third.chain.calls).toEqual([]);
  });

  it('requests the chain of another announcer when the chain rejects a block', async () => {
    const { chain, peers } = await withPeers(2, new SteppedClock());
    chain.refuse.set(hashOf(next).toString('hex'), 'BLOCK_REWARD_MISMATCH');
    for (const peer of peers) {
      announce(peer, next);
      await peer.settle(standing);
    }
    supply(peers[0], [t1, t2, t3]);
    await peers[0]?.closed;
    await peers[1]?.nextOf(Command.requestChain);
    expect(peers[1]?.isClosed).toBe(false);
  });

  it('adds a block that two peers announce once', async () => {
    const { chain, peers } = await withPeers(2);
    announce(peers[0], next);
    await peers[0]?.nextOf(Command.missingTransactions);
    announce(peers[1], next);
    await peers[1]?.settle(standing);
    expect(peers[1]?.left).toEqual([]);
    supply(peers[0], [t1, t2, t3]);
    await reaches(chain, 6);
    expect(chain.calls).toHaveLength(1);
  });

  it('adds a block once while other announcers respond, disconnect or announce it', async () => {
    const clock = new SteppedClock();
    const { node, chain, peers } = await withPeers(3, clock);
    const [first, second, third] = peers;
    let open = (): void => undefined;
    chain.gate = new Promise((resolve) => (open = resolve));
    announce(first, next);
    await requestOf(first);
    announce(second, next);
    await second?.settle(standing);
    clock.advance(2_000);
    await requestOf(second);
    for (const peer of [first, second]) supply(peer, [t1, t2, t3]);
    await second?.settle(standing);
    first?.end();
    while (node.sessionIds().length > 2) await third?.settle(standing);
    third?.send(Command.newBlock, commands.newBlock.encode({ block: next, currentHeight: 7, hop: 0 }));
    await third?.settle(standing);
    open();
    await reaches(chain, 6);
    expect(chain.calls).toHaveLength(1);
  });

  it('does not disconnect a peer that announced a block whose transactions it did not send, if the chain rejects the block temporarily', async () => {
    const clock = new SteppedClock();
    const { chain, peers, logger } = await withPeers(2, clock);
    const [late, other] = peers;
    chain.refuse.set(hashOf(next).toString('hex'), 'TIMESTAMP_TOO_FAR_IN_FUTURE');
    announce(late, next);
    await requestOf(late);
    announce(other, next);
    await other?.settle(standing);
    clock.advance(2_000);
    await requestOf(other);
    supply(other, [t1, t2, t3]);
    await other?.settle(standing);
    clock.advance(21_000);
    await Promise.race([late?.closed, late?.settle(standing)]);
    expect(logger.lines.filter((line) => line.includes('closed:'))).toEqual([]);
  });

  it('relays transactions once, in one message, to all peers but their sender', async () => {
    const { pool, peers } = await withPeers(3);
    supply(peers[0], [t1, t2]);
    for (const peer of peers.slice(1)) {
      const { body } = await peer.nextOf(Command.newTransactions);
      expect(commands.newTransactions.decode(body).transactions).toEqual([t1, t2]);
    }
    supply(peers[1], [t1, t2]);
    await peers[1]?.settle(standing);
    await peers[0]?.settle(standing);
    expect(pool.validated).toBe(2);
    expect(peers[0]?.left).toEqual([]);
  });

  it('sends own transactions again while no block contains them', async () => {
    const clock = new SteppedClock();
    const { pool, peers } = await withPeers(2, clock);
    const [one, other] = peers;
    await pool.add(t1);
    supply(one, [t2]);
    await other?.nextOf(Command.newTransactions);
    await other?.nextOf(Command.newTransactions);
    await one?.nextOf(Command.newTransactions);
    const sentAgain = async (milliseconds: number): Promise<Buffer[]> => {
      for (let left = milliseconds; left > 0; left -= 60_000) {
        clock.advance(Math.min(left, 60_000));
        await other?.settle(standing);
      }
      const frames = other?.left.filter(({ command }) => command === Command.newTransactions) ?? [];
      for (const _frame of [...frames]) await other?.nextOf(Command.newTransactions);
      return frames.flatMap(({ body }) => commands.newTransactions.decode(body).transactions);
    };
    expect(await sentAgain(119_000)).toEqual([]);
    expect(await sentAgain(2_000)).toEqual([t1]);
    expect(await sentAgain(238_000)).toEqual([]);
    expect(await sentAgain(3_000)).toEqual([t1]);
    pool.get = () => undefined;
    expect(await sentAgain(900_000)).toEqual([]);
    for (const peer of peers) peer.end();
  });

  it('sends own transactions again at least every hour', () => {
    const clock = new SteppedClock();
    const sentAt: number[] = [];
    const session = { handshaken: true, relayTransactions: (_: unknown, now: number) => sentAt.push(now) };
    const pool = Object.assign(new FakePool(toyCodec), { get: () => t1 });
    const relay = new TransactionRelay({
      ...{ pool, codec: toyCodec, clock, logger: new TestLogger() },
      sessions: () => [session as unknown as Session],
    });
    relay.added(sha256(t1));
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      clock.advance(60_000);
      relay.tick();
    }
    const gaps = sentAt.map((at, index) => (at - (sentAt[index - 1] ?? at)) / 60_000);
    expect(gaps.slice(0, 8)).toEqual([0, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('sends a transaction of a peer again as its own after a reorganisation has returned it to the pool', async () => {
    const clock = new SteppedClock();
    const relayed: unknown[] = [];
    const session = {
      ...{ handshaken: true, isOpen: true, knownTransactions: new Set() },
      relayTransactions: (transactions: Buffer[]) => relayed.push(transactions),
    } as unknown as Session;
    const pool = new FakePool(toyCodec);
    const relay = new TransactionRelay({
      ...{ pool, codec: toyCodec, clock, logger: new TestLogger() },
      sessions: () => [session],
    });
    pool.on('added', ({ hash }) => relay.added(hash));
    await relay.onTransactions(session, [t1], { measure: (work) => work() });
    const resent = (): unknown[] => {
      relayed.length = 0;
      clock.advance(120_000);
      relay.tick();
      return [...relayed];
    };
    expect(resent()).toEqual([]);
    relay.added(sha256(t1));
    expect(resent()).toEqual([[t1]]);
  });

  it('sends own transactions that are due together in one message', async () => {
    const clock = new SteppedClock();
    const { pool, peers } = await withPeers(1, clock);
    const [peer] = peers;
    await pool.add(t1);
    await pool.add(t2);
    const first = await peer?.nextOf(Command.newTransactions);
    if (commands.newTransactions.decode(first?.body ?? Buffer.alloc(0)).transactions.length === 1) {
      await peer?.nextOf(Command.newTransactions);
    }
    clock.advance(60_000);
    await peer?.settle(standing);
    clock.advance(61_000);
    const again = await peer?.nextOf(Command.newTransactions);
    expect(commands.newTransactions.decode(again?.body ?? Buffer.alloc(0)).transactions).toEqual([t1, t2]);
    for (const one of peers) one.end();
  });

  it('holds transactions back for at most three seconds when blocks follow quickly', async () => {
    const clock = new SteppedClock();
    const { chain, pool, peers } = await withPeers(1, clock);
    const [peer] = peers;
    let previous = tip;
    for (let count = 0; count < 3; count += 1) {
      const raw = toyBlock(previous, 70 + count, [Buffer.from(`of block ${count}`)]);
      previous = hashOf(raw);
      chain.add(raw);
      await peer?.nextOf(Command.newLiteBlock);
      if (count === 0) await pool.add(t1);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1_000);
    }
    const relayed = await peer?.nextOf(Command.newTransactions);
    expect(commands.newTransactions.decode(relayed?.body ?? Buffer.alloc(0)).transactions).toEqual([t1]);
    for (const one of peers) one.end();
  });

  it('does not check a rejected transaction again before the chain has advanced', async () => {
    const { chain, pool, peers } = await withPeers(2);
    pool.refuse.add(sha256(t1).toString('hex'));
    supply(peers[0], [t1]);
    await peers[0]?.settle(standing);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(pool.validated).toBe(1);
    pool.refuse.clear();
    chain.add(toyBlock(tip, 51));
    await peers[1]?.nextOf(Command.newLiteBlock);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(pool.has(sha256(t1))).toBe(true);
  });

  it('closes the connection on a flood of invalid transactions', async () => {
    const { pool, peers, logger } = await withPeers(1, new SteppedClock());
    const bad = Array.from({ length: 1100 }, (_, index) => Buffer.from(`bad ${index}`));
    for (const bytes of bad) pool.refuse.add(sha256(bytes).toString('hex'));
    supply(peers[0], bad);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('too many messages'))).toBe(true);
  });

  it('charges invalid transactions by their bytes, and validates few large ones at a time', async () => {
    const { pool, peers, logger } = await withPeers(1, new SteppedClock());
    const bad = Array.from({ length: 16 }, (_, index) => Buffer.alloc(100 * 1024, index + 1));
    for (const bytes of bad) pool.refuse.add(sha256(bytes).toString('hex'));
    supply(peers[0], bad);
    await Promise.race([peers[0]?.closed, peers[0]?.settle(standing)]);
    expect(logger.lines.some((line) => line.includes('too many messages'))).toBe(true);
    // 1000 KiB are allowed, and the group of two after them was already in validation.
    expect(pool.validated).toBe(12);
  });
});
