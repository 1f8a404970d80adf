import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { TransactionRelay } from '../../src/p2p/relay/transaction-relay';
import type { Session } from '../../src/p2p/session/session';
import { FakeClock, FakePool, sha256, TestLogger, toyBlock, toyChain, toyCodec } from './fakes';
import { Harness, reaches, type TestNode } from './harness';
import { ScriptedPeer } from './scripted-peer';

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

  async function withPeers(count: number, clock?: FakeClock): Promise<TestNode & { peers: ScriptedPeer[] }> {
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
    peer?.send(Command.newLiteBlock, commands.newLiteBlock.encode({ currentHeight: 7, hop, block: raw.block }));
  };
  const supply = (peer: ScriptedPeer | undefined, transactions: Buffer[]): void => {
    peer?.send(Command.newTransactions, commands.newTransactions.encode({ transactions }));
  };

  it('a lite block takes what the pool has and asks for the rest', async () => {
    const { chain, pool, peers } = await withPeers(2);
    const [bringer, other] = peers;
    await pool.add(t2);
    await other?.nextOf(Command.newTransactions);
    announce(bringer, next, 3);
    const question = await bringer?.nextOf(Command.missingTransactions);
    expect(commands.missingTransactions.decode(question?.body ?? Buffer.alloc(0))).toEqual({
      currentHeight: 7,
      blockHash: hashOf(next),
      hashes: [sha256(t1), sha256(t3)],
    });
    supply(bringer, [t3, t1]);
    await reaches(chain, 6);
    // Told on, one hop further, and not back to the bringer.
    const told = await other?.nextOf(Command.newLiteBlock);
    expect(commands.newLiteBlock.decode(told?.body ?? Buffer.alloc(0))).toEqual({
      currentHeight: 7,
      hop: 4,
      block: next.block,
    });
    await bringer?.settle(tall);
    expect(bringer?.left.filter(({ command }) => command === Command.newLiteBlock)).toEqual([]);
  });

  it('transactions that a waiting block does not need are an ordinary relay', async () => {
    const { chain, pool, peers } = await withPeers(1);
    announce(peers[0], next);
    await peers[0]?.nextOf(Command.missingTransactions);
    const stray = Buffer.from('stray');
    supply(peers[0], [stray]);
    supply(peers[0], [t1, t2, t3]);
    await reaches(chain, 6);
    expect(pool.has(sha256(stray))).toBe(true);
  });

  it('a peer that supplies only a part is dropped; another that announced the block is asked', async () => {
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

  it('a peer that never supplies is dropped after 20 seconds', async () => {
    const clock = new FakeClock();
    const { peers, logger } = await withPeers(1, clock);
    announce(peers[0], next);
    await peers[0]?.nextOf(Command.missingTransactions);
    clock.advance(21_000);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  const askedFor = async (peer: ScriptedPeer | undefined): Promise<Buffer> => {
    const { body } = (await peer?.nextOf(Command.missingTransactions)) ?? { body: Buffer.alloc(0) };
    return commands.missingTransactions.decode(body).blockHash;
  };

  it('a peer that withholds the transactions of its block holds up nobody: the next is asked after two seconds', async () => {
    const clock = new FakeClock();
    const { chain, peers, logger } = await withPeers(3, clock);
    const [first, second, third] = peers;
    announce(first, next);
    await askedFor(first);
    for (const peer of [second, third]) {
      announce(peer, next);
      await peer?.settle(standing);
      expect(peer?.left).toEqual([]);
    }
    clock.advance(2_000);
    expect(await askedFor(second)).toEqual(hashOf(next));
    expect(third?.left).toEqual([]);
    clock.advance(2_000);
    await askedFor(third);
    supply(third, [t1, t2, t3]);
    await reaches(chain, 6);
    // The second is late, which is no fault; the first never answers, which is one, block or no block.
    supply(second, [t1, t2, t3]);
    await second?.settle(tall);
    clock.advance(17_000);
    await first?.closed;
    expect(logger.lines.filter((line) => line.includes('closed:'))).toEqual([expect.stringContaining('not supplied')]);
    expect(chain.calls).toHaveLength(1);
    expect([second?.isClosed, third?.isClosed]).toEqual([false, false]);
  });

  it('requests the transactions from the next announcer when the first disconnects', async () => {
    const { chain, peers } = await withPeers(2, new FakeClock());
    announce(peers[0], next);
    await askedFor(peers[0]);
    announce(peers[1], next);
    await peers[1]?.settle(standing);
    peers[0]?.end();
    expect(await askedFor(peers[1])).toEqual(hashOf(next));
    supply(peers[1], [t1, t2, t3]);
    await reaches(chain, 6);
  });

  it('downloads the whole block when no announcer has sent its transactions for two seconds', async () => {
    const clock = new FakeClock();
    const { chain, peers } = await withPeers(1, clock);
    const [peer] = peers;
    announce(peer, next);
    await askedFor(peer);
    clock.advance(2_000);
    await peer?.nextOf(Command.requestChain);
    const entry = { startHeight: 5, totalHeight: 7, hashes: [tip, hashOf(next)] };
    peer?.send(Command.responseChain, commands.responseChain.encode(entry));
    await peer?.nextOf(Command.requestObjects);
    const objects = { transactions: [], blocks: [next], missed: [], currentHeight: 7 };
    peer?.send(Command.responseObjects, commands.responseObjects.encode(objects));
    await reaches(chain, 6);
  });

  it('completes a block as soon as other peers have relayed its transactions', async () => {
    const { chain, peers } = await withPeers(2, new FakeClock());
    announce(peers[0], next);
    await askedFor(peers[0]);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(chain.tip().height).toBe(5);
    supply(peers[1], [t2, t3]);
    await reaches(chain, 6);
    expect(chain.calls).toHaveLength(1);
  });

  it('a whole block needs no transactions, whoever is asked for them', async () => {
    const { chain, peers } = await withPeers(2);
    announce(peers[0], next);
    await askedFor(peers[0]);
    peers[1]?.send(Command.newBlock, commands.newBlock.encode({ block: next, currentHeight: 7, hop: 0 }));
    await reaches(chain, 6);
  });

  it('a new announcement does not undo the question for the one before', async () => {
    const clock = new FakeClock();
    const { peers, logger } = await withPeers(1, clock);
    announce(peers[0], next);
    await askedFor(peers[0]);
    clock.advance(1_500);
    announce(peers[0], toyBlock(tip, 51, [t1]));
    await askedFor(peers[0]);
    announce(peers[0], next);
    await peers[0]?.settle(standing);
    expect(peers[0]?.left).toEqual([]);
    clock.advance(19_000);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  it('two blocks of one peer are completed one by one', async () => {
    const { chain, peers } = await withPeers(1);
    const other = toyBlock(tip, 51, [t1, Buffer.from('fourth')]);
    for (const raw of [next, other]) {
      announce(peers[0], raw);
      expect(await askedFor(peers[0])).toEqual(hashOf(raw));
    }
    supply(peers[0], [t1, t2, t3]);
    await reaches(chain, 6);
    supply(peers[0], [...other.transactions]);
    await peers[0]?.settle(tall);
    expect(chain.isKnown(hashOf(other))).toBe(true);
  });

  it('a peer has four blocks to complete at a time', async () => {
    const { peers, logger } = await withPeers(1);
    for (let salt = 0; salt < 4; salt += 1) {
      announce(peers[0], toyBlock(tip, 60 + salt, [t1]));
      await askedFor(peers[0]);
    }
    announce(peers[0], toyBlock(tip, 70, [t1]));
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('not supplied'))).toBe(true);
  });

  it('the height that comes with a block is believed no further than the block reaches', async () => {
    const { node, peers } = await withPeers(1);
    const body = commands.newLiteBlock.encode({ currentHeight: 2 ** 32 - 1, hop: 0, block: next.block });
    peers[0]?.send(Command.newLiteBlock, body);
    await askedFor(peers[0]);
    expect(node.networkHeight()).toBe(7);
  });

  it('transactions wait behind a lite block until its own were asked for, or two seconds', async () => {
    const clock = new FakeClock();
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

  it('a whole block is taken too', async () => {
    const { chain, peers } = await withPeers(1);
    const body = commands.newBlock.encode({ block: next, currentHeight: 7, hop: 0 });
    peers[0]?.send(Command.newBlock, body);
    await reaches(chain, 6);
  });

  it('an orphan has the chain of its bringer asked for', async () => {
    const { peers } = await withPeers(1);
    announce(peers[0], toyBlock(hashOf(next), 60));
    const { body } = (await peers[0]?.nextOf(Command.requestChain)) ?? { body: Buffer.alloc(0) };
    const { hashes } = commands.requestChain.decode(body);
    // Tip, then 1, 2 and 4 below it, then genesis.
    expect(hashes).toEqual([5, 4, 3, 1, 0].map((height) => sha256(blocks[height]?.block ?? Buffer.alloc(0))));
  });

  it('an invalid block and garbage cost the connection, a known block nothing', async () => {
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

  it('a block that two peers announce at once is fetched once', async () => {
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

  it('transactions go to everybody but who brought them, in one message, and once', async () => {
    const { pool, peers } = await withPeers(3);
    supply(peers[0], [t1, t2]);
    for (const peer of peers.slice(1)) {
      const { body } = await peer.nextOf(Command.newTransactions);
      expect(commands.newTransactions.decode(body).transactions).toEqual([t1, t2]);
    }
    supply(peers[1], [t1, t2]);
    await peers[1]?.settle(standing);
    await peers[0]?.settle(standing);
    expect(pool.judged).toBe(2);
    expect(peers[0]?.left).toEqual([]);
  });

  it('own transactions are sent again while no block has them, those of others are not', async () => {
    const clock = new FakeClock();
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

  it('own transactions are sent again every hour at least', () => {
    const clock = new FakeClock();
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

  it('own transactions that are due together are sent again in one message', async () => {
    const clock = new FakeClock();
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

  it('blocks in quick succession do not hold transactions back for longer than three seconds', async () => {
    const clock = new FakeClock();
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

  it('a refused transaction is not judged again before the chain has moved', async () => {
    const { chain, pool, peers } = await withPeers(2);
    pool.refuse.add(sha256(t1).toString('hex'));
    supply(peers[0], [t1]);
    await peers[0]?.settle(standing);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(pool.judged).toBe(1);
    pool.refuse.clear();
    chain.add(toyBlock(tip, 51));
    await peers[1]?.nextOf(Command.newLiteBlock);
    supply(peers[1], [t1]);
    await peers[1]?.settle(standing);
    expect(pool.has(sha256(t1))).toBe(true);
  });

  it('a flood of bad transactions ends the connection', async () => {
    const { pool, peers, logger } = await withPeers(1, new FakeClock());
    const bad = Array.from({ length: 1100 }, (_, index) => Buffer.from(`bad ${index}`));
    for (const bytes of bad) pool.refuse.add(sha256(bytes).toString('hex'));
    supply(peers[0], bad);
    await peers[0]?.closed;
    expect(logger.lines.some((line) => line.includes('too many messages'))).toBe(true);
  });
});
