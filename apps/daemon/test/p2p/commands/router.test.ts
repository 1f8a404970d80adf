import { Command, commandName, requestChain, timedSyncResponse } from '@wrkz/levin';
import { ScriptedPeer } from '@wrkz/testing';
import { commandTable, rowOf } from '../../../src/p2p/commands/router';
import { sha256, toyChain } from '../fakes';
import { closedFor, Harness } from '../harness';

const all = Object.values(Command);
const unknownTip = Buffer.alloc(32, 9);
const unreadable = Buffer.from('not a section');

describe('the table of commands', () => {
  const harness = new Harness();
  const blocks = toyChain(3);
  const standing = { height: 4, tip: sha256(blocks[3]?.block ?? unreadable) };
  afterEach(() => harness.stop());

  it('has a row for every command of the network and for no other', () => {
    expect(Object.keys(commandTable).map(Number)).toEqual([...all].sort((a, b) => a - b));
    expect(all.filter((id) => rowOf(id) === undefined)).toEqual([]);
    for (const id of [0, 1000, 1004, 2005, 2011, 4242]) expect(rowOf(id)).toBeUndefined();
  });

  it('allows only a handshake and a ping before the handshake', () => {
    expect(all.filter((id) => rowOf(id)?.early === true)).toEqual([Command.handshake, Command.ping]);
  });

  it.each(
    all.filter((id) => id !== Command.handshake && id !== Command.ping).map((id) => [commandName(id), id] as const),
  )('%s before the handshake closes the connection, whatever its body', async (_, id) => {
    const { node, logger } = await harness.node(blocks);
    const peer = await ScriptedPeer.dial(node.port);
    peer.send(id, unreadable);
    await closedFor({ peer, logger }, 'message before the handshake');
  });

  it.each(all.filter((id) => id !== Command.ping).map((id) => [commandName(id), id] as const))(
    '%s with an unreadable body closes the connection',
    async (_, id) => {
      const { node, logger } = await harness.node(blocks);
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake(standing);
      peer.send(id, unreadable, 'request');
      await closedFor({ peer, logger }, 'body cannot be read');
      expect(logger.lines).toContainEqual(expect.stringContaining(`: ${commandName(id)}: `));
    },
  );

  it('a request that we fail to handle closes its connection, without the penalty of an unreadable body', async () => {
    const { node, chain, logger } = await harness.node(blocks);
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(standing);
    chain.failure = new Error('the disk is gone');
    chain.heightOf = () => {
      throw new Error('the disk is gone');
    };
    const hashes = [standing.tip, sha256(blocks[0]?.block ?? unreadable)];
    peer.send(Command.requestChain, requestChain.encode({ hashes }));
    await closedFor({ peer, logger }, 'message could not be handled');
  });

  it('a response that we fail to process closes only its connection, incoming or outgoing', async () => {
    const { node, chain, logger } = await harness.node(blocks, { timedSyncInterval: 50 });
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake(standing);
    await peer.nextOf(Command.timedSync);
    chain.failure = new Error('the disk is gone');
    chain.isKnown = () => {
      throw new Error('the disk is gone');
    };
    peer.reply(
      Command.timedSync,
      timedSyncResponse.encode({
        localTime: BigInt(Math.floor(Date.now() / 1000)),
        syncData: { currentHeight: 9, tipHash: unknownTip },
        peers: [],
        peers6: [],
      }),
    );
    await closedFor({ peer, logger }, 'message could not be handled');
    const server = await harness.server();
    const calling = await harness.node(blocks, { priorityNodes: [server.address], allowLocal: true });
    calling.chain.failure = chain.failure;
    calling.chain.isKnown = chain.isKnown;
    const called = await server.caller();
    await called.handleHandshake({ height: 9, tip: unknownTip });
    await closedFor({ peer: called, logger: calling.logger }, 'message could not be handled');
    const next = await ScriptedPeer.dial(node.port);
    next.send(Command.ping, unreadable, 'request');
    expect(await next.nextOf(Command.ping)).toMatchObject({ returnCode: 1 });
    next.end();
  });

  it('a ping with any body gets a response', async () => {
    const { node } = await harness.node(blocks);
    const peer = await ScriptedPeer.dial(node.port);
    peer.send(Command.ping, unreadable, 'request');
    expect(await peer.nextOf(Command.ping)).toMatchObject({ kind: 'response', returnCode: 1 });
    peer.end();
  });
});
