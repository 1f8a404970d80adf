import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import type { P2pConfig } from '../../src/p2p';
import { FakeClock, sha256, toyBlock, toyBranch, toyChain } from './fakes';
import { closedFor, Harness, local, reaches, type TestNode } from './harness';
import type { ScriptedPeer } from './scripted-peer';

const hashOf = (raw: RawBlock | undefined): Buffer => sha256(raw?.block ?? Buffer.alloc(0));
const hashesOf = (blocks: readonly RawBlock[]): Buffer[] => blocks.map(hashOf);

describe('what a lying peer brings about', () => {
  const harness = new Harness();
  const blocks = toyChain(30);
  const tips = hashesOf(blocks);
  const clock = new FakeClock();
  afterEach(() => harness.stop());

  /** A node with 10 blocks that calls a peer claiming the 30 of `blocks`; the peer has shaken hands and was asked. */
  async function asked(
    config: Partial<P2pConfig> = {},
    claim = { height: 31, tip: hashOf(blocks[30]) },
  ): Promise<TestNode & { peer: ScriptedPeer }> {
    const server = await harness.server();
    const started = await harness.node(blocks.slice(0, 11), { exclusiveNodes: [server.address], ...config }, { clock });
    const peer = await server.caller();
    await peer.answerHandshake(claim);
    await peer.nextOf(Command.requestChain);
    return { ...started, peer };
  }

  function tellChain(peer: ScriptedPeer, startHeight: number, hashes: readonly Buffer[], totalHeight: number): void {
    peer.send(Command.responseChain, commands.responseChain.encode({ startHeight, totalHeight, hashes }));
  }

  function tellObjects(peer: ScriptedPeer, given: Partial<commands.ResponseObjects>): void {
    const message = { transactions: [], blocks: [], missed: [], currentHeight: 31, ...given };
    peer.send(Command.responseObjects, commands.responseObjects.encode(message));
  }

  async function askedForObjects(config: Partial<P2pConfig> = {}): Promise<TestNode & { peer: ScriptedPeer }> {
    const started = await asked(config);
    tellChain(started.peer, 10, tips.slice(10), 31);
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
  it.each(entries)('a chain entry with %s ends the connection', async (_, reason, start, hashes, total) => {
    const started = await asked();
    tellChain(started.peer, start, hashes, total);
    await closedFor(started, reason);
  });

  it('a height without blocks is believed three times', async () => {
    const started = await asked({}, { height: 1_000_000, tip: Buffer.alloc(32, 1) });
    for (let round = 0; round < 4; round += 1) {
      if (round > 0) await started.peer.nextOf(Command.requestChain);
      tellChain(started.peer, 10, tips.slice(10, 11), 1_000_000);
    }
    await closedFor(started, 'nothing new');
  });

  it('endless hashes without blocks go no further than the first request', async () => {
    const started = await asked({}, { height: 4_000_000_000, tip: Buffer.alloc(32, 1) });
    const made = Array.from({ length: 9_999 }, (_, index) => sha256(Buffer.from(`made up ${index}`)));
    tellChain(started.peer, 10, [...tips.slice(10, 11), ...made], 4_000_000_000);
    await started.peer.nextOf(Command.requestObjects);
    tellObjects(started.peer, { currentHeight: 4_000_000_000 });
    await closedFor(started, 'left out');
    expect(started.chain.calls).toEqual([]);
  });

  it('blocks that nobody asked for end the connection', async () => {
    const started = await asked();
    tellObjects(started.peer, { blocks: blocks.slice(11) });
    await closedFor(started, 'not asked for');
  });

  const objects: [string, string, () => Partial<commands.ResponseObjects>][] = [
    ['another block', 'was not asked for', () => ({ blocks: [toyBlock(tips[10] ?? Buffer.alloc(32), 999)] })],
    ['the same block twice', 'was not asked for', () => ({ blocks: [...blocks.slice(11), ...blocks.slice(11, 12)] })],
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
  it.each(objects)('an answer with %s ends the connection', async (_, reason, given) => {
    const started = await askedForObjects();
    tellObjects(started.peer, given());
    await closedFor(started, reason);
  });

  it('blocks in another order than told are the lie of who told them', async () => {
    const started = await asked();
    tellChain(
      started.peer,
      10,
      [...tips.slice(10, 15), tips[16] ?? Buffer.alloc(32), tips[15] ?? Buffer.alloc(32)],
      31,
    );
    await started.peer.nextOf(Command.requestObjects);
    tellObjects(started.peer, { blocks: blocks.slice(11, 17) });
    await closedFor(started, 'do not follow');
  });

  it('blocks that the peer names as missing are no lie: the chain is asked for again, twice, then it is left to relay', async () => {
    const { node, peer } = await askedForObjects();
    tellObjects(peer, { blocks: blocks.slice(11, 20), missed: tips.slice(20) });
    for (let round = 0; round < 2; round += 1) {
      await peer.nextOf(Command.requestChain);
      tellChain(peer, 10, tips.slice(10), 31);
      const { body } = await peer.nextOf(Command.requestObjects);
      expect(commands.requestObjects.decode(body).blocks).toEqual(tips.slice(20));
      tellObjects(peer, { missed: tips.slice(20) });
    }
    await peer.nextOf(Command.requestPool);
    expect(node.sync()).toMatchObject({ activePeers: 0, demotedPeers: 1 });
    expect(peer.isClosed).toBe(false);
    peer.end();
  });

  it('an invalid block ends the connection; what came before it stays', async () => {
    const started = await askedForObjects();
    started.chain.refuse.set(hashOf(blocks[20]).toString('hex'), 'PROOF_OF_WORK_TOO_WEAK');
    tellObjects(started.peer, { blocks: blocks.slice(11) });
    await closedFor(started, 'invalid');
    expect(started.chain.tip().height).toBe(19);
  });

  it("a block ahead of our clock is nobody's fault: it is tried again a minute later", async () => {
    const started = await askedForObjects();
    const key = hashOf(blocks[30]).toString('hex');
    started.chain.refuse.set(key, 'TIMESTAMP_TOO_FAR_IN_FUTURE');
    tellObjects(started.peer, { blocks: blocks.slice(11) });
    await reaches(started.chain, 29);
    const claim = { height: 31, tip: hashOf(blocks[30]) };
    await started.peer.settle(claim);
    expect(started.node.peers()).toMatchObject([{ state: 'idle' }]);
    started.chain.refuse.delete(key);
    clock.advance(61_000);
    await started.peer.settle(claim);
    await started.peer.nextOf(Command.requestChain);
    tellChain(started.peer, 29, tips.slice(29), 31);
    await started.peer.nextOf(Command.requestObjects);
    tellObjects(started.peer, { blocks: blocks.slice(30) });
    await reaches(started.chain, 30);
    started.peer.end();
  });

  it("a chain that fails is not the peer's fault either", async () => {
    const started = await askedForObjects();
    started.chain.failure = new Error('disk full');
    tellObjects(started.peer, { blocks: blocks.slice(11) });
    await started.peer.settle({ height: 31, tip: hashOf(blocks[30]) });
    expect(started.node.peers()).toMatchObject([{ state: 'idle' }]);
    expect(started.logger.errors).toEqual([expect.stringContaining('disk full')]);
    started.peer.end();
  });

  it('orphans are asked for again three times', async () => {
    const started = await askedForObjects();
    started.chain.refuse.set(hashOf(blocks[11]).toString('hex'), 'REJECTED_AS_ORPHANED');
    for (let round = 0; round < 4; round += 1) {
      tellObjects(started.peer, { blocks: blocks.slice(11) });
      if (round === 3) break;
      await started.peer.nextOf(Command.requestChain);
      tellChain(started.peer, 10, tips.slice(10), 31);
      await started.peer.nextOf(Command.requestObjects);
    }
    await closedFor(started, 'do not connect');
  });

  it('a peer that never sends the blocks loses its turn after a minute', async () => {
    const started = await askedForObjects();
    clock.advance(59_000);
    expect(started.peer.isClosed).toBe(false);
    clock.advance(3_000);
    await closedFor(started, 'nothing came');
  });

  it('a peer that talks of other things instead loses it as soon', async () => {
    const started = await askedForObjects();
    for (let turn = 0; turn < 5; turn += 1) {
      clock.advance(11_000);
      await started.peer.settle({ height: 31, tip: hashOf(blocks[30]) });
    }
    expect(started.peer.isClosed).toBe(false);
    clock.advance(7_000);
    await closedFor(started, 'nothing came');
  });

  it('a peer that holds up the head of the chain is passed by another that has it too', async () => {
    const [slowServer, quickServer] = [await harness.server(), await harness.server()];
    const started = await harness.node(
      blocks.slice(0, 11),
      { exclusiveNodes: [slowServer.address, quickServer.address], timedSyncInterval: 1_000_000 },
      { clock },
    );
    const claim = { height: 31, tip: hashOf(blocks[30]) };
    const slow = await slowServer.caller();
    await slow.answerHandshake({ ...claim, peerId: 1n });
    await slow.nextOf(Command.requestChain);
    tellChain(slow, 10, tips.slice(10), 31);
    await slow.nextOf(Command.requestObjects);
    const quick = await quickServer.caller();
    await quick.answerHandshake({ ...claim, peerId: 2n });
    await quick.nextOf(Command.requestChain);
    tellChain(quick, 10, tips.slice(10), 31);
    await quick.settle(claim);
    expect(quick.left).toEqual([]);
    clock.advance(16_000);
    const { body } = await quick.nextOf(Command.requestObjects);
    expect(commands.requestObjects.decode(body).blocks).toEqual(tips.slice(11));
    tellObjects(quick, { blocks: blocks.slice(11) });
    await reaches(started.chain, 30);
    // The slow one comes in the end; what it brings is there already, and it is not blamed.
    tellObjects(slow, { blocks: blocks.slice(11) });
    await slow.settle(claim);
    expect(slow.isClosed).toBe(false);
    slow.end();
    quick.end();
  });

  it('a peer that answers the handshake with nothing is hung up on after 15 seconds', async () => {
    const server = await harness.server();
    const { logger } = await harness.node(blocks.slice(0, 11), { exclusiveNodes: [server.address] }, { clock });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    clock.advance(16_000);
    await closedFor({ peer, logger }, 'no handshake in time');
  });

  it('an honest peer next to a liar brings the chain, and is not blamed', async () => {
    const bad = [...blocks.slice(0, 11), ...toyBranch(tips[10] ?? Buffer.alloc(32), 300, 7000)];
    const liar = await harness.node(bad);
    const honest = await harness.node(blocks);
    const server = await harness.server();
    const fresh = await harness.node(blocks.slice(0, 1), {
      exclusiveNodes: [local(liar.node), local(honest.node), server.address],
    });
    fresh.chain.refuse.set(hashOf(bad[15]).toString('hex'), 'PROOF_OF_WORK_TOO_WEAK');
    await reaches(fresh.chain, 30);
    expect(fresh.chain.tip().hash).toEqual(tips[30]);
    expect(fresh.node.peers().map(({ address }) => address)).toContain(`127.0.0.1:${honest.node.port}`);
    expect(fresh.logger.lines.some((line) => line.includes('block is invalid'))).toBe(true);
  });
});
