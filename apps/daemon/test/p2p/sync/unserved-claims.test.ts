import type { RawBlock } from '@wrkz/core-types';
import * as commands from '@wrkz/levin';
import { Command, encodeFrame } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import type { P2pConfig } from '../../../src/p2p/config';
import type { Transport } from '../../../src/p2p/connection/transport';
import { sha256, toyBlock, toyBranch, toyChain } from '../fakes';
import { closedFor, disguised, Harness, local, reaches, type TestNode } from '../harness';

const hashOf = (raw: RawBlock | undefined): Buffer => sha256(raw?.block ?? Buffer.alloc(0));
const HIGHEST = 2 ** 32 - 1;

interface Claim {
  readonly height: number;
  readonly tip: Buffer;
  readonly peerId?: bigint;
}

/* A node with 11 blocks among peers that claim more blocks than they deliver. Only the tests advance the clock. */
describe('peers that claim blocks and deliver none', () => {
  const harness = new Harness();
  const blocks = toyChain(30);
  const tips = blocks.map(hashOf);
  const [ours, best] = [hashOf(blocks[10]), hashOf(blocks[30])];
  const standing: Claim = { height: 11, tip: ours };
  const honestly: Claim = { height: 31, tip: best };
  let clock: SteppedClock;
  beforeEach(() => {
    clock = new SteppedClock();
  });
  afterEach(() => harness.stop());

  const fakes = (tag: string, count = 20): Buffer[] =>
    Array.from({ length: count }, (_, index) => sha256(Buffer.from(`${tag} ${index}`)));
  const claimOf = (hashes: readonly Buffer[], peerId = 1n): Claim => ({
    height: 11 + hashes.length,
    tip: hashes.at(-1) ?? ours,
    peerId,
  });

  function node(config: Partial<P2pConfig> = {}, transport?: Transport): Promise<TestNode> {
    const parts = transport === undefined ? { clock } : { clock, transport };
    return harness.node(blocks.slice(0, 11), { timedSyncInterval: 100_000_000, ...config }, parts);
  }

  async function callerOf({ node: called }: TestNode, claim: Claim): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.dial(called.port);
    await peer.handshake(claim);
    return peer;
  }

  function announceChain(peer: ScriptedPeer, hashes: readonly Buffer[], totalHeight = 11 + hashes.length): void {
    peer.sendChain(10, [ours, ...hashes], totalHeight);
  }

  function deliver(peer: ScriptedPeer, given: Partial<commands.ResponseObjects>): void {
    peer.sendObjects({ currentHeight: 31, ...given });
  }

  /** The peer announces blocks above ours on request; the node requests them. */
  async function name(peer: ScriptedPeer, hashes: readonly Buffer[]): Promise<ScriptedPeer> {
    await peer.nextOf(Command.requestChain);
    announceChain(peer, hashes);
    await peer.nextOf(Command.requestObjects);
    return peer;
  }

  /** Connects to the node and announces made-up blocks; the node requests them. */
  async function dishonestPeerAt(target: TestNode, tag: string, peerId: bigint): Promise<ScriptedPeer> {
    const hashes = fakes(tag);
    return name(await callerOf(target, claimOf(hashes, peerId)), hashes);
  }

  /** Advances the clock; the peers extend a response byte by byte, because bytes do not count as progress. */
  async function trickle(peers: readonly ScriptedPeer[], seconds: number): Promise<void> {
    for (const peer of peers) {
      const frame = { command: Command.responseObjects, kind: 'notification', returnCode: 0 } as const;
      peer.raw(encodeFrame({ ...frame, body: Buffer.alloc(100_000) }).subarray(0, 40));
    }
    for (let passed = 0; passed < seconds; passed += 4) {
      for (const peer of peers) peer.raw(Buffer.alloc(1));
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(4_000);
    }
  }

  it('do not stop the announcement of new blocks', async () => {
    const started = await node();
    const watcher = await callerOf(started, standing);
    await watcher.nextOf(Command.requestPool);
    await dishonestPeerAt(started, 'silent', 1n);
    for (let made = 0; made < 6; made += 1) started.chain.add(toyBlock(started.chain.tip().hash, 500 + made));
    await watcher.settle(standing);
    expect(watcher.left.filter(({ command }) => command === Command.newLiteBlock)).toHaveLength(6);
  });

  it('do not stop the download of an honest branch', async () => {
    const started = await node();
    await dishonestPeerAt(started, 'silent', 1n);
    await harness.node(blocks, { exclusiveNodes: [local(started.node)] });
    await reaches(started.chain, 30);
    expect(started.chain.tip().hash).toEqual(best);
  });

  it('lose a slot to a waiting peer after 15 seconds, even if they send single bytes', async () => {
    const started = await node();
    const dishonestPeers = [];
    for (const id of [1n, 2n, 3n]) dishonestPeers.push(await dishonestPeerAt(started, `trickle ${id}`, id));
    const honest = await callerOf(started, { ...honestly, peerId: 9n });
    await honest.nextOf(Command.requestPool);
    await trickle(dishonestPeers, 12);
    await honest.settle(honestly);
    expect(honest.left).toEqual([]);
    await trickle(dishonestPeers, 4);
    await name(honest, tips.slice(11));
    deliver(honest, { blocks: blocks.slice(11) });
    await reaches(started.chain, 30);
  });

  it('lose a slot immediately to an outgoing peer', async () => {
    const server = await harness.server();
    const started = await node({ exclusiveNodes: [server.address] });
    const called = await server.caller();
    for (const id of [1n, 2n, 3n]) await dishonestPeerAt(started, `silent ${id}`, id);
    await called.handleHandshake(honestly);
    await name(called, tips.slice(11));
    deliver(called, { blocks: blocks.slice(11) });
    await reaches(started.chain, 30);
  });

  it('do not raise the network height of a node that has another peer', async () => {
    const server = await harness.server();
    const started = await node({ exclusiveNodes: [server.address] });
    const honest = await server.caller();
    await honest.handleHandshake(standing);
    await honest.nextOf(Command.requestPool);
    expect(started.node.isSynchronized()).toBe(true);
    await callerOf(started, { height: HIGHEST, tip: Buffer.alloc(32, 1) });
    expect(started.node.networkHeight()).toBe(11);
  });

  it('count for the network height for 15 seconds if there is no other peer', async () => {
    const started = await node();
    const hashes = fakes('alone');
    const dishonest = await callerOf(started, { height: HIGHEST, tip: Buffer.alloc(32, 1) });
    await dishonest.nextOf(Command.requestChain);
    announceChain(dishonest, hashes, HIGHEST);
    await dishonest.nextOf(Command.requestObjects);
    expect(started.node.networkHeight()).toBe(HIGHEST);
    await trickle([dishonest], 16);
    expect(started.node.networkHeight()).toBe(11);
    expect(dishonest.isClosed).toBe(false);
  });

  it('delay "synchronized" by at most 15 seconds', async () => {
    const started = await node();
    const dishonest = await dishonestPeerAt(started, 'late', 1n);
    const honest = await callerOf(started, standing);
    await honest.nextOf(Command.requestPool);
    expect(started.node.isSynchronized()).toBe(false);
    await trickle([dishonest], 16);
    expect(started.node.isSynchronized()).toBe(true);
  });

  it('are disconnected with penalty points, and their claims do not count on a new connection', async () => {
    const started = await node({}, disguised('93.184.216.34'));
    for (let round = 1; round <= 6; round += 1) {
      const dishonest = await dishonestPeerAt(started, `round ${round}`, 1n);
      expect(started.node.networkHeight()).toBe(round === 1 ? 31 : 11);
      clock.advance(62_000);
      await dishonest.closed;
      expect(started.node.bans().map(({ host }) => host)).toEqual(round === 6 ? ['93.184.216.34'] : []);
    }
    const closings = started.logger.lines.filter((line) => line.includes('closed:'));
    expect(new Set(closings.map((line) => line.replace(/.*closed: /, '')))).toEqual(
      new Set(['claimed blocks were requested and not delivered']),
    );
  });

  it('are disconnected after four claims of tips that their chains do not contain', async () => {
    const started = await node();
    const dishonest = await callerOf(started, { height: HIGHEST, tip: Buffer.alloc(32, 1) });
    for (let round = 2; round < 6; round += 1) {
      await dishonest.nextOf(Command.requestChain);
      announceChain(dishonest, []);
      if (round < 5) {
        await dishonest.settle({ height: HIGHEST, tip: Buffer.alloc(32, round) });
        expect(started.node.networkHeight()).toBe(11);
      }
    }
    await closedFor({ peer: dishonest, logger: started.logger }, 'not delivered');
  });

  it('or only half of them are demoted to relay and delay no other peer', async () => {
    const started = await node();
    const branch = toyBranch(ours, 20, 7_000);
    const hashes = branch.map(hashOf);
    const dishonest = await name(await callerOf(started, claimOf(hashes)), hashes);
    const halves = { blocks: branch.slice(10), missed: hashes.slice(0, 10) };
    deliver(dishonest, halves);
    for (let round = 0; round < 2; round += 1) {
      await name(dishonest, hashes);
      deliver(dishonest, halves);
    }
    await dishonest.nextOf(Command.requestPool);
    expect(started.node.sync()).toMatchObject({ activePeers: 0, demotedPeers: 1 });
    await harness.node(blocks, { exclusiveNodes: [local(started.node)] });
    await reaches(started.chain, 30);
    expect(started.chain.tip().hash).toEqual(best);
  });

  it('and later others than requested are disconnected; blocks of other peers stay', async () => {
    const started = await node();
    const dishonest = await name(await callerOf(started, { ...honestly, peerId: 1n }), tips.slice(11));
    const honest = await callerOf(started, { ...honestly, peerId: 2n });
    await honest.nextOf(Command.requestChain);
    announceChain(honest, tips.slice(11));
    await honest.settle(honestly);
    clock.advance(16_000);
    await honest.nextOf(Command.requestObjects);
    deliver(honest, { blocks: blocks.slice(11) });
    await reaches(started.chain, 30);
    deliver(dishonest, { blocks: toyBranch(ours, 20, 8_000) });
    await closedFor({ peer: dishonest, logger: started.logger }, 'was not requested');
    expect(started.chain.tip().hash).toEqual(best);
  });

  it('or deliver them slowly lose their slot to a waiting peer', async () => {
    const started = await node({ syncMaxPeers: 1, syncBatchMin: 5 });
    const slow = await name(await callerOf(started, { ...honestly, peerId: 1n }), tips.slice(11));
    const quick = await callerOf(started, { ...honestly, peerId: 2n });
    await quick.nextOf(Command.requestPool);
    clock.advance(12_000);
    deliver(slow, { blocks: blocks.slice(11, 16) });
    await slow.nextOf(Command.requestObjects);
    clock.advance(1_000);
    await quick.nextOf(Command.requestChain);
    expect(slow.isClosed).toBe(false);
  });

  it('get slots in the order in which they began to wait', async () => {
    const started = await node({ syncMaxPeers: 1 });
    clock.advance(500);
    const dishonestPeers = [await dishonestPeerAt(started, 'first', 1n)];
    const named = fakes('second');
    const second = await callerOf(started, claimOf(named, 2n));
    await second.nextOf(Command.requestPool);
    const honest = await callerOf(started, { ...honestly, peerId: 9n });
    await honest.nextOf(Command.requestPool);
    // The time of the first slot expires now, before the next check of the clock.
    clock.advance(15_000);
    const newcomer = await callerOf(started, claimOf(fakes('third'), 3n));
    await newcomer.nextOf(Command.requestPool);
    dishonestPeers.push(await name(second, named), newcomer);
    clock.advance(16_000);
    await name(honest, tips.slice(11));
    expect(dishonestPeers.map((dishonest) => dishonest.isClosed)).toEqual([false, false, false]);
  });
});

describe('an honest peer that has lost its slot', () => {
  const harness = new Harness();
  afterEach(() => harness.stop());

  it('gets no penalty for its late response, which is used', async () => {
    const clock = new SteppedClock();
    const blocks = toyChain(30);
    const tips = blocks.map(hashOf);
    const { node, chain } = await harness.node(
      blocks.slice(0, 11),
      { timedSyncInterval: 100_000_000, syncMaxPeers: 1 },
      { clock },
    );
    const claim = { height: 31, tip: hashOf(blocks[30]) };
    const peers = [];
    for (const peerId of [1n, 2n]) {
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ ...claim, peerId });
      peers.push(peer);
      if (peerId === 2n) clock.advance(16_000);
      await peer.nextOf(Command.requestChain);
      peer.sendChain(10, tips.slice(10), 31);
      await peer.nextOf(Command.requestObjects);
    }
    const [first, second] = peers;
    first?.sendObjects({ blocks: blocks.slice(11), currentHeight: 31 });
    await reaches(chain, 30);
    await first?.settle(claim);
    expect([first?.isClosed, second?.isClosed]).toEqual([false, false]);
  });
});

describe('a peer whose chain forks from the chain that is being downloaded', () => {
  const harness = new Harness();
  afterEach(() => harness.stop());

  it('delivers its side of the fork, and its chain is requested once', async () => {
    const blocks = toyChain(30);
    const tips = blocks.map(hashOf);
    const { node, chain } = await harness.node(blocks.slice(0, 11), { timedSyncInterval: 100_000_000 });
    const first = await ScriptedPeer.dial(node.port);
    await first.handshake({ height: 21, tip: hashOf(blocks[20]), peerId: 1n });
    await first.nextOf(Command.requestChain);
    first.sendChain(10, tips.slice(10, 21), 21);
    await first.nextOf(Command.requestObjects);

    const other = toyBranch(tips[15] ?? Buffer.alloc(32), 20, 7_000);
    const claim = { height: 36, tip: hashOf(other[19]) };
    const second = await ScriptedPeer.dial(node.port);
    await second.handshake({ ...claim, peerId: 2n });
    await second.nextOf(Command.requestChain);
    second.sendChain(10, [...tips.slice(10, 16), ...other.map(hashOf)], 36);
    const { body } = await second.nextOf(Command.requestObjects);
    expect(commands.requestObjects.decode(body).blocks).toEqual(other.map(hashOf));
    second.sendObjects({ blocks: other, currentHeight: 36 });
    await second.settle(claim);
    expect(chain.tip().height).toBe(10);
    first.sendObjects({ blocks: blocks.slice(11, 21), currentHeight: 21 });
    await reaches(chain, 35);
    expect(chain.tip().hash).toEqual(claim.tip);
    await second.settle(claim);
    expect(second.left.filter(({ command }) => command === Command.requestChain)).toEqual([]);
  });
});
