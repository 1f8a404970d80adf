import { setImmediate } from 'node:timers/promises';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { ScriptedPeer } from '@wrkz/testing';
import { MemoryBudget } from '../../../src/p2p/connection/memory-budget';
import { sha256, toyBlock, toyChain } from '../fakes';
import { Harness, type TestNode } from '../harness';

const MIB = 1024 * 1024;
const limits = { connection: 100, address: 150, total: 300 };

describe('the memory budget of peers', () => {
  it('is limited per connection, per address and in total', () => {
    const budget = new MemoryBudget(limits);
    const evicted: string[] = [];
    const open = (address: string, name: string) => {
      const share = budget.open(address, () => {
        evicted.push(name);
        share.give(share.held);
      });
      return share;
    };
    const [one, two] = [open('a', 'one'), open('a', 'two')];
    expect([one.take(100), one.take(1)]).toEqual([true, false]);
    expect([two.take(50), two.take(1)]).toEqual([true, false]);
    const [three, four] = [open('b', 'three'), open('c', 'four')];
    expect([three.take(100), four.take(50)]).toEqual([true, true]);
    expect(budget.inUse).toBe(300);
    // Any request for memory closes the largest connection of the address with the most bytes.
    expect(four.take(10)).toBe(true);
    expect(evicted).toEqual(['one']);
    expect(budget.inUse).toBe(210);
    expect(one.take(1)).toBe(false);
    two.give(50);
    two.close();
    expect(two.take(1)).toBe(false);
    // The address with the most bytes is refused itself.
    expect([three.give(0), open('d', 'five').take(100), three.take(1)]).toEqual([undefined, true, false]);
    expect(four.take(40)).toBe(true);
    expect(evicted).toEqual(['one']);
    expect(four.take(1)).toBe(false);
  });

  it('is released once, also when the processing of a frame outlives its connection', () => {
    const budget = new MemoryBudget(limits);
    const share = budget.open('a', () => undefined);
    share.take(80);
    share.close();
    expect(budget.inUse).toBe(80);
    share.give(80);
    share.give(80);
    expect(budget.inUse).toBe(0);
    expect(budget['addresses'].size).toBe(0);
  });

  it('in use by a closed connection blocks no other peer', () => {
    const budget = new MemoryBudget(limits);
    const closed = budget.open('a', () => undefined);
    closed.take(100);
    closed.close();
    const evicted: string[] = [];
    const open = (address: string, bytes: number): boolean => {
      const share = budget.open(address, () => {
        evicted.push(address);
        share.give(share.held);
      });
      return share.take(bytes);
    };
    expect([open('b', 80), open('c', 90), open('d', 50)]).toEqual([true, true, true]);
    expect(evicted).toEqual(['c']);
  });
});

describe('a node counts the memory', () => {
  const harness = new Harness();
  const blocks = toyChain(3);
  const tip = sha256(blocks[3]?.block ?? Buffer.alloc(0));
  afterEach(() => harness.stop());

  async function welcome(started: TestNode, peerId = 1n): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.dial(started.node.port);
    await peer.handshake({ height: 4, tip, peerId });
    return peer;
  }

  async function atLeast(memory: MemoryBudget, bytes: number): Promise<void> {
    while (memory.inUse < bytes) await setImmediate();
  }

  async function empty(memory: MemoryBudget): Promise<void> {
    while (memory.inUse > 0) await setImmediate();
  }

  const block = (salt: number, bytes: number): Buffer =>
    commands.newBlock.encode({ block: toyBlock(tip, salt, [Buffer.alloc(bytes, salt)]), currentHeight: 5, hop: 0 });

  it('of queued frames and of the one in processing, until it is done', async () => {
    const memory = new MemoryBudget();
    const started = await harness.node(blocks, {}, { memory });
    let open = (): void => undefined;
    started.chain.gate = new Promise((resolve) => (open = resolve));
    const peer = await welcome(started);
    await empty(memory);
    for (const salt of [1, 2, 3]) peer.send(Command.newBlock, block(salt, MIB));
    await atLeast(memory, 3 * MIB);
    open();
    await empty(memory);
    peer.end();
  });

  it('of frames whose connection is closed', async () => {
    const memory = new MemoryBudget();
    const started = await harness.node(blocks, {}, { memory });
    let open = (): void => undefined;
    started.chain.gate = new Promise((resolve) => (open = resolve));
    const peer = await welcome(started);
    for (const salt of [1, 2, 3]) peer.send(Command.newBlock, block(salt, MIB));
    await atLeast(memory, 3 * MIB);
    peer.end();
    while (memory.inUse > 2 * MIB) await setImmediate();
    // The block that the chain is at work on is still there.
    expect(memory.inUse).toBeGreaterThan(MIB);
    open();
    await empty(memory);
  });

  it('of data that a peer has not yet read', async () => {
    const memory = new MemoryBudget();
    const large = [...blocks, toyBlock(tip, 1, [Buffer.alloc(20 * MIB, 1)])];
    const started = await harness.node(large, {}, { memory });
    const peer = await welcome(started);
    await peer.nextOf(Command.requestPool);
    peer.socket.pause();
    const hashes = [sha256(large[4]?.block ?? tip)];
    peer.send(Command.requestObjects, commands.requestObjects.encode({ transactions: [], blocks: hashes }));
    await atLeast(memory, 10 * MIB);
    peer.end();
    await empty(memory);
  });

  it('and closes the connection with the highest usage, not the latest, above the limit', async () => {
    const memory = new MemoryBudget({ connection: 5 * MIB, address: 5 * MIB, total: 6 * MIB });
    const started = await harness.node(blocks, {}, { memory });
    let open = (): void => undefined;
    started.chain.gate = new Promise((resolve) => (open = resolve));
    const hog = await welcome(started, 1n);
    const honest = await welcome(started, 2n);
    for (const salt of [1, 2, 3, 4]) hog.send(Command.newBlock, block(salt, MIB));
    await atLeast(memory, 4 * MIB);
    honest.send(Command.newBlock, block(9, 3 * MIB));
    await hog.closed;
    expect(started.logger.lines.filter((line) => line.includes('closed:'))).toEqual([
      expect.stringContaining('exceed the memory limit'),
    ]);
    open();
    await empty(memory);
    expect(honest.isClosed).toBe(false);
    honest.end();
  });

  it('and closes a connection that exceeds its own share', async () => {
    const memory = new MemoryBudget({ connection: 2 * MIB, address: 5 * MIB, total: 60 * MIB });
    const started = await harness.node(blocks, {}, { memory });
    const peer = await welcome(started);
    peer.send(Command.newBlock, block(1, 3 * MIB));
    await peer.closed;
    expect(started.logger.lines.some((line) => line.includes('exceed the memory limit'))).toBe(true);
    await empty(memory);
  });
});
