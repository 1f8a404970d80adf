import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { type ScriptedPeer, SteppedClock } from '@wrkz/testing';
import type { P2pConfig } from '../../../src/p2p/config';
import { sha256, toyBlock, toyBranch, toyChain } from '../fakes';
import { closedFor, Harness, local, reaches, type TestNode } from '../harness';

const hashOf = (raw: RawBlock | undefined): Buffer => sha256(raw?.block ?? Buffer.alloc(0));
const hashesOf = (blocks: readonly RawBlock[]): Buffer[] => blocks.map(hashOf);

describe('invalid responses of a peer', () => {
  const harness = new Harness();
  const blocks = toyChain(30);
  const tips = hashesOf(blocks);
  const clock = new SteppedClock();
  afterEach(() => harness.stop());

  /** A node with 10 blocks that calls a peer claiming the 30 of `blocks`; the peer has shaken hands and got a chain request. */
  async function chainRequested(
    config: Partial<P2pConfig> = {},
    claim = { height: 31, tip: hashOf(blocks[30]) },
  ): Promise<TestNode & { peer: ScriptedPeer }> {
    const server = await harness.server();
    const started = await harness.node(blocks.slice(0, 11), { exclusiveNodes: [server.address], ...config }, { clock });
    const peer = await server.caller();
    await peer.handleHandshake(claim);
    await peer.nextOf(Command.requestChain);
    return { ...started, peer };
  }

  function deliver(peer: ScriptedPeer, given: Partial<commands.ResponseObjects>): void {
    peer.sendObjects({ currentHeight: 31, ...given });
  }

  async function objectsRequested(config: Partial<P2pConfig> = {}): Promise<TestNode & { peer: ScriptedPeer }> {
    const started = await chainRequested(config);
    started.peer.sendChain(10, tips.slice(10), 31);
    const { body } = await started.peer.nextOf(Command.requestObjects);
    expect(commands.requestObjects.decode(body).blocks).toEqual(tips.slice(11));
    return started;
  }

  const entries: [string, string, number, Buffer[], number][] = [
    ['no hashes', 'without hashes', 10, [], 31],
    ['an unknown start', 'unknown block', 10, [Buffer.alloc(32, 9), ...tips.slice(11)], 31],
    ['a wrong height', 'contradicts itself', 9, tips.slice(10), 31],
    ['a total below its end', 'contradicts itself', 10, tips.slice(10), 30],
    ['a hash twice', 'contradicts itself', 10, [...tips.slice(10, 20), ...tips.slice(15, 20)], 31],
  ];
  it.each(entries)(
    'rejects a chain entry with %s and closes the connection',
    async (_, reason, start, hashes, total) => {
      const started = await chainRequested();
      started.peer.sendChain(start, hashes, total);
      await closedFor(started, reason);
    },
  );

  it('closes the connection after four chain entries without a new hash', async () => {
    const started = await chainRequested({}, { height: 1_000_000, tip: Buffer.alloc(32, 1) });
    for (let round = 0; round < 4; round += 1) {
      if (round > 0) await started.peer.nextOf(Command.requestChain);
      started.peer.sendChain(10, tips.slice(10, 11), 1_000_000);
    }
    await closedFor(started, 'nothing new');
  });

  it('requests no more hashes from a peer that left out the first requested blocks', async () => {
    const started = await chainRequested({}, { height: 4_000_000_000, tip: Buffer.alloc(32, 1) });
    const made = Array.from({ length: 9_999 }, (_, index) => sha256(Buffer.from(`made up ${index}`)));
    started.peer.sendChain(10, [...tips.slice(10, 11), ...made], 4_000_000_000);
    await started.peer.nextOf(Command.requestObjects);
    deliver(started.peer, { currentHeight: 4_000_000_000 });
    await closedFor(started, 'left out');
    expect(started.chain.calls).toEqual([]);
  });

  it('closes the connection on blocks that were not requested', async () => {
    const started = await chainRequested();
    deliver(started.peer, { blocks: blocks.slice(11) });
    await closedFor(started, 'not requested');
  });

  const objects: [string, string, () => Partial<commands.ResponseObjects>][] = [
    ['another block', 'was not requested', () => ({ blocks: [toyBlock(tips[10] ?? Buffer.alloc(32), 999)] })],
    ['the same block twice', 'was not requested', () => ({ blocks: [...blocks.slice(11), ...blocks.slice(11, 12)] })],
    ['garbage', 'cannot be read', () => ({ blocks: [{ block: Buffer.from('x'), transactions: [] }] })],
    [
      'a missing transaction',
      'do not fit',
      () => ({ blocks: blocks.slice(11).map(({ block }) => ({ block, transactions: [] })) }),
    ],
    [
      'other transactions',
      'do not fit',
      () => ({
        blocks: blocks
          .slice(11)
          .map(({ block, transactions }) => ({ block, transactions: [...transactions].reverse() })),
      }),
    ],
    ['less than asked', 'left out', () => ({ blocks: blocks.slice(11, 20) })],
    [
      'some blocks and half of the rest missed',
      'left out',
      () => ({ blocks: blocks.slice(11, 20), missed: tips.slice(20, 25) }),
    ],
    ['a height below its chain entry', 'below its own', () => ({ blocks: blocks.slice(11), currentHeight: 20 })],
  ];
  it.each(objects)('rejects a response with %s and closes the connection', async (_, reason, given) => {
    const started = await objectsRequested();
    deliver(started.peer, given());
    await closedFor(started, reason);
  });

  it('closes the connection of a peer that announced the blocks in a wrong order', async () => {
    const started = await chainRequested();
    started.peer.sendChain(10, [...tips.slice(10, 15), tips[16] ?? Buffer.alloc(32), tips[15] ?? Buffer.alloc(32)], 31);
    await started.peer.nextOf(Command.requestObjects);
    deliver(started.peer, { blocks: blocks.slice(11, 17) });
    await closedFor(started, 'do not follow');
  });

  it('requests the chain again, twice, when the peer names blocks as missing, then demotes it to relay', async () => {
    const { node, peer } = await objectsRequested();
    deliver(peer, { blocks: blocks.slice(11, 20), missed: tips.slice(20) });
    for (let round = 0; round < 2; round += 1) {
      await peer.nextOf(Command.requestChain);
      peer.sendChain(10, tips.slice(10), 31);
      const { body } = await peer.nextOf(Command.requestObjects);
      expect(commands.requestObjects.decode(body).blocks).toEqual(tips.slice(20));
      deliver(peer, { missed: tips.slice(20) });
    }
    await peer.nextOf(Command.requestPool);
    expect(node.sync()).toMatchObject({ activePeers: 0, demotedPeers: 1 });
    expect(peer.isClosed).toBe(false);
    peer.end();
  });

  it('closes the connection on an invalid block and retains the blocks before it', async () => {
    const started = await objectsRequested();
    started.chain.refuse.set(hashOf(blocks[20]).toString('hex'), 'PROOF_OF_WORK_TOO_WEAK');
    deliver(started.peer, { blocks: blocks.slice(11) });
    await closedFor(started, 'invalid');
    expect(started.chain.tip().height).toBe(19);
  });

  it('retries a block ahead of our clock a minute later without a penalty', async () => {
    const started = await objectsRequested();
    const key = hashOf(blocks[30]).toString('hex');
    started.chain.refuse.set(key, 'TIMESTAMP_TOO_FAR_IN_FUTURE');
    deliver(started.peer, { blocks: blocks.slice(11) });
    await reaches(started.chain, 29);
    const claim = { height: 31, tip: hashOf(blocks[30]) };
    await started.peer.settle(claim);
    expect(started.node.peers()).toMatchObject([{ state: 'idle' }]);
    started.chain.refuse.delete(key);
    clock.advance(61_000);
    await started.peer.settle(claim);
    await started.peer.nextOf(Command.requestChain);
    started.peer.sendChain(29, tips.slice(29), 31);
    await started.peer.nextOf(Command.requestObjects);
    deliver(started.peer, { blocks: blocks.slice(30) });
    await reaches(started.chain, 30);
    started.peer.end();
  });

  it('gives no penalty when the chain fails', async () => {
    const started = await objectsRequested();
    started.chain.failure = new Error('disk full');
    deliver(started.peer, { blocks: blocks.slice(11) });
    await started.peer.settle({ height: 31, tip: hashOf(blocks[30]) });
    expect(started.node.peers()).toMatchObject([{ state: 'idle' }]);
    expect(started.logger.errors).toEqual([expect.stringContaining('disk full')]);
    started.peer.end();
  });

  it('requests orphans again three times, then closes the connection', async () => {
    const started = await objectsRequested();
    started.chain.refuse.set(hashOf(blocks[11]).toString('hex'), 'REJECTED_AS_ORPHANED');
    for (let round = 0; round < 4; round += 1) {
      deliver(started.peer, { blocks: blocks.slice(11) });
      if (round === 3) break;
      await started.peer.nextOf(Command.requestChain);
      started.peer.sendChain(10, tips.slice(10), 31);
      await started.peer.nextOf(Command.requestObjects);
    }
    await closedFor(started, 'do not connect');
  });

  it('closes the connection of a peer that sends no requested block for a minute', async () => {
    const started = await objectsRequested();
    clock.advance(59_000);
    expect(started.peer.isClosed).toBe(false);
    clock.advance(3_000);
    await closedFor(started, 'not delivered');
  });

  it('closes it as soon when the peer sends other messages', async () => {
    const started = await objectsRequested();
    for (let turn = 0; turn < 5; turn += 1) {
      clock.advance(11_000);
      await started.peer.settle({ height: 31, tip: hashOf(blocks[30]) });
    }
    expect(started.peer.isClosed).toBe(false);
    clock.advance(7_000);
    await closedFor(started, 'not delivered');
  });

  it('requests blocks that a slow peer holds up from another peer', async () => {
    const [slowServer, quickServer] = [await harness.server(), await harness.server()];
    const started = await harness.node(
      blocks.slice(0, 11),
      { exclusiveNodes: [slowServer.address, quickServer.address], timedSyncInterval: 1_000_000 },
      { clock },
    );
    const claim = { height: 31, tip: hashOf(blocks[30]) };
    const slow = await slowServer.caller();
    await slow.handleHandshake({ ...claim, peerId: 1n });
    await slow.nextOf(Command.requestChain);
    slow.sendChain(10, tips.slice(10), 31);
    await slow.nextOf(Command.requestObjects);
    const quick = await quickServer.caller();
    await quick.handleHandshake({ ...claim, peerId: 2n });
    await quick.nextOf(Command.requestChain);
    quick.sendChain(10, tips.slice(10), 31);
    await quick.settle(claim);
    expect(quick.left).toEqual([]);
    clock.advance(16_000);
    const { body } = await quick.nextOf(Command.requestObjects);
    expect(commands.requestObjects.decode(body).blocks).toEqual(tips.slice(11));
    deliver(quick, { blocks: blocks.slice(11) });
    await reaches(started.chain, 30);
    // The slow peer responds at last; its blocks are known already, and it gets no points.
    deliver(slow, { blocks: blocks.slice(11) });
    await slow.settle(claim);
    expect(slow.isClosed).toBe(false);
    slow.end();
    quick.end();
  });

  it('closes the connection of a peer that does not respond to the handshake within 15 seconds', async () => {
    const server = await harness.server();
    const { logger } = await harness.node(blocks.slice(0, 11), { exclusiveNodes: [server.address] }, { clock });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    clock.advance(16_000);
    await closedFor({ peer, logger }, 'no handshake in time');
  });

  it('downloads the chain of an honest peer next to an invalid one, without a penalty', async () => {
    const bad = [...blocks.slice(0, 11), ...toyBranch(tips[10] ?? Buffer.alloc(32), 300, 7000)];
    const dishonest = await harness.node(bad);
    const honest = await harness.node(blocks);
    const server = await harness.server();
    const fresh = await harness.node(blocks.slice(0, 1), {
      exclusiveNodes: [local(dishonest.node), local(honest.node), server.address],
    });
    fresh.chain.refuse.set(hashOf(bad[15]).toString('hex'), 'PROOF_OF_WORK_TOO_WEAK');
    await reaches(fresh.chain, 30);
    expect(fresh.chain.tip().hash).toEqual(tips[30]);
    expect(fresh.node.peers().map(({ address }) => address)).toContain(`127.0.0.1:${honest.node.port}`);
    expect(fresh.logger.lines.some((line) => line.includes('block is invalid'))).toBe(true);
  });
});
