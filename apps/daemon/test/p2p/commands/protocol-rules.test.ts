import * as commands from '@wrkz/levin';
import { Command, encodeFrame } from '@wrkz/levin';
import { hello, ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { sha256, toyBlock, toyChain } from '../fakes';
import { closedFor, Harness, type TestNode } from '../harness';

describe('the rules of the protocol', () => {
  const harness = new Harness();
  const blocks = toyChain(20);
  const tips = blocks.map((raw) => sha256(raw.block));
  const tip = tips[20] ?? Buffer.alloc(32);
  const standing = { height: 21, tip };
  afterEach(() => harness.stop());

  async function called(clock?: SteppedClock): Promise<TestNode & { peer: ScriptedPeer }> {
    const started = await harness.node(blocks, {}, clock === undefined ? {} : { clock });
    return { ...started, peer: await ScriptedPeer.dial(started.node.port) };
  }

  async function known(clock?: SteppedClock): Promise<TestNode & { peer: ScriptedPeer }> {
    const started = await called(clock);
    await started.peer.handshake(standing);
    await started.peer.nextOf(Command.requestPool);
    return started;
  }

  const greeting = (change: Partial<commands.NodeData>): Buffer => {
    const request = hello(standing);
    return commands.handshakeRequest.encode({ ...request, nodeData: { ...request.nodeData, ...change } });
  };

  it('disconnect a peer of another network, of an old version or with our own id', async () => {
    for (const [change, reason] of [
      [{ networkId: Buffer.alloc(16, 1) }, 'other network'],
      [{ version: 15 }, 'version below'],
    ] as const) {
      const started = await called();
      started.peer.send(Command.handshake, greeting(change), 'request');
      await closedFor(started, reason);
    }
    const started = await called();
    started.peer.send(Command.handshake, greeting({ peerId: started.node.peerId }), 'request');
    await closedFor(started, 'ourselves');
  });

  it('accept versions from 16 on and above ours', async () => {
    for (const version of [16, 17, 18, 19, 25]) {
      const { peer } = await called();
      const response = await peer.handshake({ ...standing, version });
      expect(response.nodeData.version).toBe(19);
      expect(response.syncData).toEqual({
        currentHeight: 21,
        tipHash: tip,
        capabilityFlags: 0,
        prunedNodeHeight: 0,
        liteStartHeight: 0,
      });
      peer.end();
    }
  });

  it('close the connection on a second handshake', async () => {
    const started = await known();
    started.peer.send(Command.handshake, greeting({}), 'request');
    await closedFor(started, 'second handshake');
  });

  it('close the connection of an outgoing peer that sends a handshake', async () => {
    const server = await harness.server();
    const { logger } = await harness.node(blocks, { exclusiveNodes: [server.address] });
    const peer = await server.caller();
    await peer.handleHandshake(standing);
    await peer.nextOf(Command.requestPool);
    peer.send(Command.handshake, greeting({}), 'request');
    await closedFor({ peer, logger }, 'handshake request on an outgoing connection');
  });

  it('allow only a handshake and a ping before the handshake', async () => {
    const started = await called();
    started.peer.send(Command.ping, commands.pingRequest.encode(), 'request');
    const { body } = await started.peer.nextOf(Command.ping);
    expect(commands.pingResponse.decode(body)).toEqual({ status: 'OK', peerId: started.node.peerId });
    started.peer.send(Command.requestChain, commands.requestChain.encode({ hashes: [tips[0] ?? tip] }));
    await closedFor(started, 'before the handshake');
  });

  it('close an incoming connection without a handshake after 15 seconds', async () => {
    const clock = new SteppedClock();
    const started = await called(clock);
    started.peer.send(Command.ping, commands.pingRequest.encode(), 'request');
    await started.peer.nextOf(Command.ping);
    clock.advance(14_000);
    expect(started.peer.isClosed).toBe(false);
    clock.advance(3_000);
    await closedFor(started, 'no handshake in time');
  });

  it('close a connection with an unfinished frame, or without any', async () => {
    const clock = new SteppedClock();
    const half = await known(clock);
    const ping = encodeFrame({
      command: Command.ping,
      kind: 'request',
      returnCode: 0,
      body: commands.pingRequest.encode(),
    });
    half.peer.raw(Buffer.concat([ping, ping.subarray(0, 40)]));
    await half.peer.nextOf(Command.ping);
    clock.advance(122_000);
    await closedFor(half, 'not completed in time');
    const quiet = await harness.node(blocks, { timedSyncInterval: 1_000_000 }, { clock });
    const peer = await ScriptedPeer.dial(quiet.node.port);
    await peer.handshake(standing);
    clock.advance(301_000);
    await closedFor({ peer, logger: quiet.logger }, 'nothing received');
  });

  it('close the connection on garbage, a huge length and an unreadable body', async () => {
    const garbage = await known();
    garbage.peer.raw(Buffer.from('GET / HTTP/1.1\r\nHost: node\r\nAccept: */*\r\n\r\n'));
    await closedFor(garbage, 'not a Levin frame');

    const huge = await known();
    const header = encodeFrame({
      command: Command.newTransactions,
      kind: 'notification',
      returnCode: 0,
      body: Buffer.alloc(0),
    });
    header.writeBigUInt64LE(2n ** 63n, 8);
    huge.peer.raw(header);
    await closedFor(huge, 'larger than its command');

    const unreadable = await known();
    unreadable.peer.send(Command.requestChain, Buffer.from('not a section'));
    await closedFor(unreadable, 'cannot be read');
  });

  it('respond to unknown requests with -6 and ignore unknown notifications', async () => {
    const { peer } = await known();
    peer.send(4242, Buffer.alloc(0));
    peer.send(4243, Buffer.from('anything'), 'request');
    const frame = await peer.nextOf(4243);
    expect(frame).toMatchObject({ kind: 'response', returnCode: -6 });
    expect(frame.body).toHaveLength(0);
    peer.end();
  });

  it('ignore responses without a request', async () => {
    const { peer } = await known();
    peer.reply(Command.ping, commands.pingResponse.encode({ status: 'OK', peerId: 1n }));
    peer.reply(4242, Buffer.from('?'));
    await peer.settle(standing);
    peer.end();
  });

  it('close the connection on a flood of messages', async () => {
    const started = await known(new SteppedClock());
    const ping = encodeFrame({
      command: Command.ping,
      kind: 'notification',
      returnCode: 0,
      body: commands.pingRequest.encode(),
    });
    started.peer.raw(Buffer.concat(Array.from({ length: 5000 }, () => ping)));
    await closedFor(started, 'too many messages');
  });

  it('require that a chain request ends with our genesis block', async () => {
    const { peer } = await known();
    peer.send(
      Command.requestChain,
      commands.requestChain.encode({ hashes: [Buffer.alloc(32, 3), tips[12] ?? tip, tips[0] ?? tip] }),
    );
    const { body } = await peer.nextOf(Command.responseChain);
    expect(commands.responseChain.decode(body)).toEqual({ startHeight: 12, totalHeight: 21, hashes: tips.slice(12) });
    peer.end();
    for (const hashes of [[], [tip]]) {
      const started = await known();
      started.peer.send(Command.requestChain, commands.requestChain.encode({ hashes }));
      await closedFor(started, 'chain request');
    }
  });

  it('serve each object once and name the unknown ones', async () => {
    const { peer } = await known();
    const unknown = Buffer.alloc(32, 7);
    const requested = [tips[3] ?? tip, unknown, tips[4] ?? tip, tips[3] ?? tip, unknown];
    peer.send(Command.requestObjects, commands.requestObjects.encode({ transactions: [], blocks: requested }));
    const { body } = await peer.nextOf(Command.responseObjects);
    expect(commands.responseObjects.decode(body)).toEqual({
      transactions: [],
      blocks: blocks.slice(3, 5),
      missed: [unknown],
      currentHeight: 21,
    });
    peer.end();
  });

  it('name blocks beyond the limit of one response as missing', async () => {
    const big = Buffer.alloc(10 * 1024 * 1024, 1);
    const large = toyChain(0);
    for (let index = 0; index < 4; index += 1)
      large.push(toyBlock(sha256(large.at(-1)?.block ?? big), index, [Buffer.concat([big, Buffer.from([index])])]));
    const { node } = await harness.node(large);
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake({ height: 5, tip: sha256(large[4]?.block ?? big) });
    const hashes = large.slice(1).map((raw) => sha256(raw.block));
    peer.send(Command.requestObjects, commands.requestObjects.encode({ transactions: [], blocks: hashes }));
    const { body } = await peer.nextOf(Command.responseObjects);
    const response = commands.responseObjects.decode(body);
    expect(response.blocks).toHaveLength(2);
    expect(response.missed).toEqual(hashes.slice(2));
    peer.end();
  });

  it('close the connection on a request for unknown transactions, send the known ones', async () => {
    const started = await known();
    const [first] = blocks[1]?.transactions ?? [];
    if (first === undefined) throw new Error('no transaction');
    const query = (hashes: Buffer[]): void => {
      const body = commands.missingTransactions.encode({ currentHeight: 21, blockHash: tip, hashes });
      started.peer.send(Command.missingTransactions, body);
    };
    query([sha256(first), sha256(first)]);
    const { body } = await started.peer.nextOf(Command.newTransactions);
    expect(commands.newTransactions.decode(body).transactions).toEqual([first]);
    query([Buffer.alloc(32, 5)]);
    await closedFor(started, 'transactions that we do not have');
  });

  it('serve ten pool requests, then one every ten seconds', async () => {
    const clock = new SteppedClock();
    const { peer, pool } = await known(clock);
    await pool.add(Buffer.from('one'));
    await peer.nextOf(Command.newTransactions);
    const query = (hashes: Buffer[]): void => {
      peer.send(Command.requestPool, commands.requestPool.encode({ hashes }));
    };
    query([sha256(Buffer.from('one'))]);
    await peer.settle(standing);
    expect(peer.left).toEqual([]);
    for (let round = 0; round < 20; round += 1) query([]);
    for (let round = 0; round < 9; round += 1) await peer.nextOf(Command.newTransactions);
    await peer.settle(standing);
    expect(peer.left).toEqual([]);
    peer.end();
  });

  it('accept no more incoming peers than --in-peers', async () => {
    const { node } = await harness.node(blocks, { inPeers: 2 });
    const peers = await Promise.all([1, 2, 3].map(() => ScriptedPeer.dial(node.port)));
    await peers[0]?.handshake({ ...standing, peerId: 1n });
    await peers[1]?.handshake({ ...standing, peerId: 2n });
    peers[2]?.send(Command.handshake, greeting({ peerId: 3n }), 'request');
    await peers[2]?.closed;
    expect(node.connections()).toEqual({ incoming: 2, outgoing: 0 });
    peers[0]?.end();
    await new Promise((resolve) => node.once('disconnected', resolve));
    const next = await ScriptedPeer.dial(node.port);
    await next.handshake({ ...standing, peerId: 4n });
    expect(node.connections()).toEqual({ incoming: 2, outgoing: 0 });
  });
});
