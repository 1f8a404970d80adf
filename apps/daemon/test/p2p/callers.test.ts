import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import * as commands from '@wrkz/levin';
import { ByteBudget, Command } from '@wrkz/levin';
import type { P2pNode } from '../../src/p2p';
import { PeerConnection } from '../../src/p2p/connection/peer-connection';
import { Account } from '../../src/p2p/penalties/accounts';
import { FakeClock, TestLogger, sha256, toyChain } from './fakes';
import { disguised, Harness } from './harness';
import { ScriptedPeer } from './scripted-peer';

const harness = new Harness();
afterEach(() => harness.stop());

const genesis = { height: 0, tip: sha256(toyChain(0)[0]?.block ?? Buffer.alloc(0)) };

/** What becomes of one more caller. */
async function treatment(port: number): Promise<'hung up' | 'answered'> {
  const peer = await ScriptedPeer.dial(port);
  return Promise.race([
    peer.closed.then(() => 'hung up' as const),
    peer.handshake({ ...genesis, peerId: 99n }).then(() => 'answered' as const),
  ]);
}

describe('the callers of a running node', () => {
  /** Callers that shake hands, one after the other, with the port of a node. */
  async function shakeHands(port: number, count: number): Promise<ScriptedPeer[]> {
    const peers: ScriptedPeer[] = [];
    for (let index = 0; index < count; index += 1) {
      const peer = await ScriptedPeer.dial(port);
      await peer.handshake({ ...genesis, peerId: BigInt(100 + index) });
      peers.push(peer);
    }
    return peers;
  }

  it('are four at a time from one public address', async () => {
    const { node } = await harness.node(toyChain(0), {}, { transport: disguised('93.184.216.34') });
    const [first, ...others] = await shakeHands(node.port, 4);
    expect(await treatment(node.port)).toBe('hung up');
    first?.end();
    while (node.connections().incoming > others.length) await pause(5);
    const [next] = await shakeHands(node.port, 1);
    expect([next, ...others].map((peer) => peer?.isClosed)).toEqual([false, false, false, false]);
  });

  it('are not counted on the own machine', async () => {
    const { node } = await harness.node(toyChain(0));
    const peers = await shakeHands(node.port, 6);
    expect(peers.filter((peer) => peer.isClosed)).toEqual([]);
  });
});

describe('bans of a running node', () => {
  it('fall on a peer that keeps sending garbage, and outlive a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'wrkz-bans-'));
    const start = async (): Promise<P2pNode> => {
      const config = { stateFile: join(directory, 'peers.json') };
      const { node } = await harness.node(toyChain(1), config, { transport: disguised('93.184.216.34') });
      return node;
    };
    const first = await start();
    const { peerId } = first;
    for (let round = 0; round < 3; round += 1) {
      expect(first.bans()).toEqual([]);
      const peer = await ScriptedPeer.dial(first.port);
      peer.raw(Buffer.alloc(64, 1));
      await peer.closed;
    }
    expect(first.bans()).toMatchObject([{ host: '93.184.216.34' }]);
    await first.stop();

    const second = await start();
    expect(second.peerId).toBe(peerId);
    expect(second.bans()).toMatchObject([{ host: '93.184.216.34' }]);
    expect(await treatment(second.port)).toBe('hung up');
    expect(second.unban('::ffff:93.184.216.34')).toBe(true);
    const welcome = await ScriptedPeer.dial(second.port);
    await welcome.handshake(genesis);
    expect(second.ban('93.184.216.34', 5)).toBe(true);
    await welcome.closed;
    await second.stop();
    await rm(directory, { recursive: true });
  });

  it('are immediate for a block that contradicts a checkpoint', async () => {
    const blocks = toyChain(4);
    const { node, chain } = await harness.node(blocks.slice(0, 4), {}, { transport: disguised('8.8.8.8') });
    const last = blocks[4] ?? { block: Buffer.alloc(0), transactions: [] };
    chain.refuse.set(sha256(last.block).toString('hex'), 'CHECKPOINT_BLOCK_HASH_MISMATCH');
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake({ height: 5, tip: sha256(last.block) });
    await peer.nextOf(Command.requestChain);
    const hashes = blocks.slice(3).map((raw) => sha256(raw.block));
    peer.send(Command.responseChain, commands.responseChain.encode({ startHeight: 3, totalHeight: 5, hashes }));
    await peer.nextOf(Command.requestObjects);
    peer.send(
      Command.responseObjects,
      commands.responseObjects.encode({ transactions: [], blocks: [last], missed: [], currentHeight: 5 }),
    );
    await peer.closed;
    expect(node.bans()).toMatchObject([{ host: '8.8.8.8' }]);
  });

  it('a socket error is not a crash', async () => {
    const stream = new PassThrough();
    const reasons: string[] = [];
    const connection = new PeerConnection({
      socket: stream,
      remote: { host: '11.0.0.1', port: 17855 },
      incoming: true,
      clock: new FakeClock(),
      logger: new TestLogger(),
      budget: new ByteBudget(1000),
      account: new Account(
        () => 0,
        () => 0,
      ),
      limitOf: () => 1000,
      onClose: (reason) => reasons.push(reason.text),
    });
    stream.emit('error', new Error('reset'));
    stream.emit('error', new Error('again'));
    expect(connection.isOpen).toBe(false);
    expect(reasons).toEqual(['connection failed']);
  });
});
