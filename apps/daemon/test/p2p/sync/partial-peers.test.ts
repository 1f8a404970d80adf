import * as commands from '@wrkz/levin';
import { Command } from '@wrkz/levin';
import { hello } from '@wrkz/testing';
import { toyChain } from '../fakes';
import { Harness } from '../harness';

describe('peers that store only a part of the chain', () => {
  const harness = new Harness();
  const blocks = toyChain(10);
  const tip = Buffer.alloc(32, 1);
  afterEach(() => harness.stop());

  /** The first request of the node to an outgoing peer with these capabilities. */
  async function askedOf(capabilities: Partial<commands.SyncData>, prunedUpTo = 1000): Promise<number> {
    const server = await harness.server();
    await harness.node(blocks, {
      exclusiveNodes: [server.address],
      avoidsPrunedPeers: (height) => height >= prunedUpTo,
    });
    const peer = await server.caller();
    await peer.nextOf(Command.handshake);
    const { nodeData, syncData } = hello({ height: 100, tip });
    const response = { nodeData, syncData: { ...syncData, ...capabilities }, peers: [], peers6: [] };
    peer.reply(Command.handshake, commands.handshakeResponse.encode(response));
    const { command } = await peer.next();
    peer.end();
    return command;
  }

  it('get a chain request only if their blocks continue our chain', async () => {
    expect(await askedOf({})).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 0, prunedNodeHeight: 50, liteStartHeight: 50 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 2, liteStartHeight: 11 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 2, liteStartHeight: 12 })).toBe(Command.requestPool);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 11 })).toBe(Command.requestChain);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 12 })).toBe(Command.requestPool);
    expect(await askedOf({ capabilityFlags: 1, prunedNodeHeight: 0 }, 11)).toBe(Command.requestPool);
  });
});
