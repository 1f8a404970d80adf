import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import * as commands from '@wrkz/levin';
import { ByteBudget, Command, encodeFrame } from '@wrkz/levin';
import { hello, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import type { P2pNode } from '../../../src/p2p/node';
import { PeerConnection } from '../../../src/p2p/connection/peer-connection';
import { AddressBudget } from '../../../src/p2p/limits/address-budget';
import { TestLogger, sha256, toyChain } from '../fakes';
import { disguised, Harness } from '../harness';
import { addressKey, type PeerAddress } from '../../../src/p2p/addresses';

const harness = new Harness();
afterEach(() => harness.stop());

const genesis = { height: 0, tip: sha256(toyChain(0)[0]?.block ?? Buffer.alloc(0)) };

/** The outcome of one more incoming connection. */
async function treatment(port: number): Promise<'hung up' | 'answered'> {
  const peer = await ScriptedPeer.dial(port);
  return Promise.race([
    peer.closed.then(() => 'hung up' as const),
    peer.handshake({ ...genesis, peerId: 99n }).then(() => 'answered' as const),
  ]);
}

describe('the incoming peers of a running node', () => {
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

  it('are limited to four per public address', async () => {
    const { node } = await harness.node(toyChain(0), {}, { transport: disguised('93.184.216.34') });
    const [first, ...others] = await shakeHands(node.port, 4);
    expect(await treatment(node.port)).toBe('hung up');
    first?.end();
    while (node.connections().incoming > others.length) await pause(5);
    const [next] = await shakeHands(node.port, 1);
    expect([next, ...others].map((peer) => peer?.isClosed)).toEqual([false, false, false, false]);
  });

  it('cannot fill the log with newer versions, which are logged of outgoing peers only', async () => {
    const server = await harness.server();
    const { node, logger } = await harness.node(toyChain(0), { exclusiveNodes: [server.address] });
    const called = await server.caller();
    await called.handleHandshake({ ...genesis, peerId: 1n, version: 21 });
    await called.nextOf(Command.requestPool);
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake({ ...genesis, peerId: 2n, version: 30 });
    expect(logger.lines.filter((line) => line.startsWith('warning'))).toEqual([
      expect.stringContaining('has version 21: a newer release may be available'),
    ]);
  });

  it('enter no list by a timed sync, because their source port is not a listening port', async () => {
    const clock = new SteppedClock();
    const { node } = await harness.node(toyChain(0), { allowLocal: true }, { clock });
    const [peer] = await shakeHands(node.port, 1);
    clock.advance(60_000);
    await peer?.nextOf(Command.timedSync);
    const syncData = { currentHeight: genesis.height, tipHash: genesis.tip };
    const localTime = BigInt(Math.floor(Date.now() / 1000));
    const response = commands.timedSyncResponse.encode({ localTime, syncData, peers: [], peers6: [] });
    peer?.reply(Command.timedSync, response);
    await peer?.settle(genesis);
    expect(node.peerLists()).toEqual({ white: [], gray: [] });
  });

  it('are not limited on the own machine', async () => {
    const { node } = await harness.node(toyChain(0));
    const peers = await shakeHands(node.port, 6);
    expect(peers.filter((peer) => peer.isClosed)).toEqual([]);
  });
});

describe('a running node', () => {
  const transactions = (bytes: number): Buffer =>
    commands.newTransactions.encode({ transactions: [Buffer.alloc(bytes, bytes % 251)] });

  it('accepts large frames of an outgoing peer right after the handshake, and none of an incoming one before it', async () => {
    const server = await harness.server();
    const { pool, logger } = await harness.node(toyChain(0), { exclusiveNodes: [server.address] });
    const called = await server.caller();
    await called.nextOf(Command.handshake);
    const entered = new Promise((resolve) => pool.once('added', resolve));
    const response = commands.handshakeResponse.encode({ ...hello(genesis), peers: [], peers6: [] });
    called.raw(
      Buffer.concat([
        encodeFrame({ command: Command.handshake, kind: 'response', returnCode: 1, body: response }),
        encodeFrame({
          command: Command.newTransactions,
          kind: 'notification',
          returnCode: 0,
          body: transactions(100_000),
        }),
      ]),
    );
    await entered;
    expect(called.isClosed).toBe(false);
    called.end();

    const started = await harness.node(toyChain(0));
    const caller = await ScriptedPeer.dial(started.node.port);
    caller.send(Command.newTransactions, transactions(100_000));
    await caller.closed;
    expect(started.logger.lines.some((line) => line.includes('larger than its command'))).toBe(true);
    expect(logger.errors).toEqual([]);
  });

  it('sends one large response for each transaction request', async () => {
    const { node, pool, logger } = await harness.node(toyChain(0));
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(genesis);
    await peer.nextOf(Command.requestPool);
    const large = transactions(17 * 1024 * 1024);
    const entered = new Promise((resolve) => pool.once('added', resolve));
    peer.send(Command.newTransactions, large);
    await entered;
    peer.send(Command.newTransactions, large);
    await peer.closed;
    expect(logger.lines.some((line) => line.includes('larger than its command'))).toBe(true);
  });

  it('measures the time also for a peer whose synchronization was aborted', async () => {
    const blocks = toyChain(2);
    const tips = blocks.map((raw) => sha256(raw.block));
    const [, , last] = tips;
    if (last === undefined) throw new Error('no tip');
    const clock = new SteppedClock();
    const { node, chain } = await harness.node(blocks.slice(0, 2), {}, { clock });
    chain.refuse.set(last.toString('hex'), 'TIMESTAMP_TOO_FAR_IN_FUTURE');
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake({ height: 3, tip: last });
    await peer.nextOf(Command.requestChain);
    peer.send(
      Command.responseChain,
      commands.responseChain.encode({ startHeight: 1, totalHeight: 3, hashes: tips.slice(1) }),
    );
    await peer.nextOf(Command.requestObjects);
    const result = { transactions: [], blocks: blocks.slice(2), missed: [], currentHeight: 3 };
    peer.send(Command.responseObjects, commands.responseObjects.encode(result));
    await peer.settle({ height: 3, tip: last });
    expect(node.peers()).toMatchObject([{ state: 'idle' }]);
    clock.advance(60_000);
    expect(await peer.nextOf(Command.timedSync)).toMatchObject({ kind: 'request' });
    peer.end();
  });

  it('does not back-ping an address that no list may contain', async () => {
    for (const [host, allowLocal, calls] of [
      ['127.0.0.1', false, []],
      ['127.0.0.1', true, ['127.0.0.1:17855']],
      ['93.184.216.34', false, ['93.184.216.34:17855']],
    ] as const) {
      const called: string[] = [];
      const transport = {
        ...disguised(host),
        connect: (address: PeerAddress) => {
          called.push(addressKey(address));
          return Promise.resolve(undefined);
        },
      };
      const { node } = await harness.node(toyChain(0), { allowLocal }, { transport });
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ ...genesis, port: 17855 });
      await peer.settle(genesis);
      expect(called).toEqual(calls);
      peer.end();
    }
  });
});

describe('bans of a running node', () => {
  it('apply to a peer that keeps sending garbage, and survive a restart', async () => {
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

  it('a socket error closes the connection without a crash', async () => {
    const stream = new PassThrough();
    const reasons: string[] = [];
    const connection = new PeerConnection({
      socket: stream,
      remote: { host: '11.0.0.1', port: 17855 },
      incoming: true,
      clock: new SteppedClock(),
      logger: new TestLogger(),
      share: new ByteBudget(1000),
      budget: new AddressBudget(
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
