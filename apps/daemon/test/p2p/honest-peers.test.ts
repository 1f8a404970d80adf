import * as commands from '@wrkz/levin';
import { Command, encodeFrame } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { tcpTransport } from '../../src/p2p/connection/transport';
import { WorkBudget } from '../../src/p2p/limits/address-budget';
import { threadTime } from '../../src/p2p/clock';
import { sha256, toyBlock, toyChain } from './fakes';
import { disguised, Harness, type TestNode } from './harness';

const harness = new Harness();
const blocks = toyChain(5);
const tip = sha256(blocks[5]?.block ?? Buffer.alloc(0));
const standing = { height: 6, tip };
const HOUR = 3_600_000;
afterEach(() => harness.stop());

async function welcome({ node }: TestNode, peerId = 1n): Promise<ScriptedPeer> {
  const peer = await ScriptedPeer.dial(node.port);
  await peer.handshake({ ...standing, peerId });
  await peer.nextOf(Command.requestPool);
  return peer;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a node whose clock was set back', () => {
  it('reports no peer as last seen in the future, because other nodes would disconnect', async () => {
    const clock = new SteppedClock();
    const server = await harness.server();
    const config = { exclusiveNodes: [server.address], allowLocal: true, timedSyncInterval: 100 * HOUR };
    const { node } = await harness.node(blocks, config, { clock });
    const called = await server.caller();
    await called.handleHandshake(standing);
    await called.nextOf(Command.requestPool);
    clock.step(-HOUR);
    const peer = await ScriptedPeer.dial(node.port);
    const { nodeData, peers } = await peer.handshake({ ...standing, peerId: 5n });
    expect(peers).toHaveLength(1);
    for (const { lastSeen } of peers) expect(lastSeen).toBeLessThanOrEqual(Number(nodeData.localTime));
    const response = await peer.settle(standing);
    for (const { lastSeen } of response.peers) expect(lastSeen).toBeLessThanOrEqual(Number(response.localTime));
    expect(response.peers).toHaveLength(1);
    for (const one of [peer, called]) one.end();
  });
});

describe('responses without a request', () => {
  const responsesOf = (count: number): Buffer => {
    const frame = encodeFrame({ command: Command.ping, kind: 'response', returnCode: 1, body: Buffer.alloc(0) });
    return Buffer.concat(Array.from({ length: count }, () => frame));
  };

  it('count as a flood', async () => {
    const started = await harness.node(blocks, {}, { clock: new SteppedClock() });
    const peer = await welcome(started);
    peer.raw(responsesOf(5_000));
    await Promise.race([peer.closed, peer.settle(standing)]);
    expect(peer.isClosed).toBe(true);
    expect(started.logger.lines.some((line) => line.includes('too many messages'))).toBe(true);
  });

  it('cost nothing if they are few, like late ones', async () => {
    const started = await harness.node(blocks, {}, { clock: new SteppedClock() });
    const peer = await welcome(started);
    peer.raw(responsesOf(100));
    await peer.settle(standing);
    expect(peer.isClosed).toBe(false);
    peer.end();
  });
});

describe('the transactions of a lite block', () => {
  it('are used also after a later block has caused a chain request to its announcer, before we are synchronized', async () => {
    const started = await harness.node(blocks, {}, { clock: new SteppedClock() });
    const ahead = await ScriptedPeer.dial(started.node.port);
    await ahead.handshake({ height: 100, tip: Buffer.alloc(32, 9), peerId: 2n });
    await ahead.nextOf(Command.requestChain);
    const peer = await welcome(started);
    expect(started.node.isSynchronized()).toBe(false);
    const transactions = [Buffer.from('one'), Buffer.from('two')];
    const next = toyBlock(tip, 50, transactions);
    const orphan = toyBlock(Buffer.alloc(32, 7), 51);
    const announce = (block: Buffer): void =>
      peer.send(Command.newLiteBlock, commands.newLiteBlock.encode({ currentHeight: 8, hop: 0, block }));
    announce(next.block);
    await peer.nextOf(Command.missingTransactions);
    announce(orphan.block);
    await peer.nextOf(Command.requestChain);
    peer.send(Command.newTransactions, commands.newTransactions.encode({ transactions }));
    await peer.settle(standing);
    expect(started.chain.tip().hash).toEqual(sha256(next.block));
    for (const one of [peer, ahead]) one.end();
  });
});

describe('back pings of short connections', () => {
  it('are at most as many at a time for one address as it may have connections', async () => {
    let calls = 0;
    const connect: typeof tcpTransport.connect = () => ((calls += 1), new Promise(() => undefined));
    const transport = { ...disguised('93.184.216.34'), connect };
    const { node } = await harness.node(blocks, {}, { transport });
    for (let round = 0; round < 20; round += 1) {
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ ...standing, peerId: 5n, port: 17_855 });
      peer.end();
      while (node.peers().length > 0) await turns();
    }
    expect(calls).toBe(4);
  });

  it('are limited by the incoming slots, with any addresses', async () => {
    let calls = 0;
    let callers = 0;
    const connect: typeof tcpTransport.connect = () => ((calls += 1), new Promise(() => undefined));
    const transport = { ...disguised(() => `93.${(callers += 1)}.216.34`), connect };
    const { node } = await harness.node(blocks, { inPeers: 2 }, { transport });
    for (let round = 0; round < 30; round += 1) {
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ ...standing, peerId: 5n, port: 17_855 });
      peer.end();
      while (node.peers().length > 0) await turns();
    }
    expect(calls).toBe(18);
  });
});

describe('a new block ahead of our clock', () => {
  it('closes no announcer, is checked once a minute, and is added when our clock is right', async () => {
    const clock = new SteppedClock();
    const started = await harness.node(blocks, { timedSyncInterval: HOUR }, { clock });
    const next = toyBlock(tip, 60);
    started.chain.refuse.set(sha256(next.block).toString('hex'), 'TIMESTAMP_TOO_FAR_IN_FUTURE');
    const peers = [await welcome(started, 1n), await welcome(started, 2n), await welcome(started, 3n)];
    const announceAll = async (): Promise<void> => {
      for (const peer of peers) {
        const message = { currentHeight: 7, hop: 0, block: next.block };
        peer.send(Command.newLiteBlock, commands.newLiteBlock.encode(message));
        await Promise.race([peer.closed, peer.settle(standing)]);
      }
    };
    await announceAll();
    expect(peers.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    expect(started.chain.calls).toHaveLength(1);
    started.chain.refuse.clear();
    await announceAll();
    expect(started.chain.calls).toHaveLength(1);
    clock.advance(60_000);
    await announceAll();
    expect(started.chain.tip().hash).toEqual(sha256(next.block));
    for (const peer of peers) peer.end();
  });
});

describe('the CPU time of this thread', () => {
  it('does not count while another program has the CPU', () => {
    const [wall, own] = [performance.now(), threadTime()];
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(performance.now() - wall).toBeGreaterThan(290);
    expect(threadTime() - own).toBeLessThan(290);
  });

  it('counts while the thread works', () => {
    const own = threadTime();
    const end = performance.now() + 100;
    while (performance.now() < end);
    expect(threadTime()).toBeGreaterThan(own);
  });
});

describe('nested measured work', () => {
  it('is counted once', () => {
    let time = 0;
    const budget = new WorkBudget(
      () => 0,
      () => time,
    );
    const work = (): number => (time += 1_000);
    budget.measure(() => budget.measure(work));
    expect(budget.owed()).toBe(0);
    budget.measure(() => time++);
    expect(budget.owed()).toBe(10);
  });
});

describe('two peers behind one address', () => {
  const slow = (): (() => number) => {
    let time = 0;
    return () => (time += 700);
  };
  const genesis = sha256(blocks[0]?.block ?? tip);

  it('serving the chain to one does not delay the other', async () => {
    const clock = new SteppedClock();
    const started = await harness.node(
      blocks,
      { timedSyncInterval: HOUR },
      { clock, stopwatch: slow(), transport: disguised('93.184.216.34') },
    );
    const fetching = await welcome(started, 1n);
    clock.advance(7_000);
    const other = await welcome(started, 2n);
    clock.advance(7_000);
    for (let round = 0; round < 40; round += 1)
      fetching.send(Command.requestChain, commands.requestChain.encode({ hashes: [genesis] }));
    const syncData = { currentHeight: 6, tipHash: tip };
    for (let round = 0; round < 25 && !other.isClosed; round += 1) {
      other.send(Command.timedSync, commands.timedSyncRequest.encode({ syncData }), 'request');
      for (let second = 0; second < 8; second += 1) {
        await turns();
        clock.advance(1_000);
      }
    }
    expect(other.isClosed).toBe(false);
    await other.nextOf(Command.timedSync);
    expect(fetching.isClosed).toBe(false);
    for (const one of [fetching, other]) one.end();
  });

  it('requested data of one is processed immediately, although the other used up its budget', async () => {
    const clock = new SteppedClock();
    const started = await harness.node(
      blocks.slice(0, 3),
      { timedSyncInterval: HOUR },
      { clock, stopwatch: slow(), transport: disguised('93.184.216.34') },
    );
    const bringing = await ScriptedPeer.dial(started.node.port);
    await bringing.handshake({ ...standing, peerId: 1n });
    await bringing.nextOf(Command.requestChain);
    clock.advance(7_000);
    const other = await ScriptedPeer.dial(started.node.port);
    await other.handshake({ height: 3, tip: sha256(blocks[2]?.block ?? tip), peerId: 2n });
    // More than the limit of its address: its requests wait for seconds.
    for (let round = 0; round < 3; round += 1) {
      const syncData = { currentHeight: 3, tipHash: sha256(blocks[2]?.block ?? tip) };
      other.send(Command.timedSync, commands.timedSyncRequest.encode({ syncData }), 'request');
    }
    await other.nextOf(Command.timedSync);
    const hashes = blocks.slice(2).map((raw) => sha256(raw.block));
    bringing.send(Command.responseChain, commands.responseChain.encode({ startHeight: 2, totalHeight: 6, hashes }));
    for (let round = 0; round < 50; round += 1) await turns();
    expect(bringing.left.map(({ command }) => command)).toContain(Command.requestObjects);
    for (const one of [bringing, other]) one.end();
  });
});

describe('a peer that delivers one of many announced blocks', () => {
  it('does not raise the network height by announcing the others again', async () => {
    const clock = new SteppedClock();
    const started = await harness.node(blocks.slice(0, 5), { timedSyncInterval: HOUR }, { clock });
    const fourth = sha256(blocks[4]?.block ?? tip);
    const others: ScriptedPeer[] = [];
    for (const id of [2n, 3n]) {
      const peer = await ScriptedPeer.dial(started.node.port);
      await peer.handshake({ height: 5, tip: fourth, peerId: id });
      others.push(peer);
    }
    const totalHeight = 4_000_000;
    const fakes = Array.from({ length: 9_000 }, (_, index) => sha256(Buffer.from(`made up ${index}`)));
    const dishonest = await ScriptedPeer.dial(started.node.port);
    await dishonest.handshake({ height: totalHeight, tip: Buffer.alloc(32, 9), peerId: 9n });
    const name = async (startHeight: number, hashes: Buffer[]): Promise<void> => {
      await dishonest.nextOf(Command.requestChain);
      dishonest.send(Command.responseChain, commands.responseChain.encode({ startHeight, totalHeight, hashes }));
      await dishonest.nextOf(Command.requestObjects);
    };
    await name(4, [fourth, tip, ...fakes]);
    const response = { transactions: [], blocks: blocks.slice(5), missed: fakes, currentHeight: totalHeight };
    dishonest.send(Command.responseObjects, commands.responseObjects.encode(response));
    while (started.chain.tip().height < 5) await turns();
    await name(5, [tip, ...fakes]);
    expect(started.node.networkHeight()).toBe(6);
    for (const one of [dishonest, ...others]) one.end();
  });
});
