import { Command } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { sha256, toyChain } from '../fakes';
import { Harness } from '../harness';

describe('blocks that are requested outside of a synchronisation', () => {
  const harness = new Harness();
  const blocks = toyChain(10);
  const ids = blocks.map(({ block }) => sha256(block));
  afterEach(() => harness.stop());

  it('may arrive after their timeout: the peer is not closed, and gets no other request before', async () => {
    const clock = new SteppedClock();
    const { node, logger } = await harness.node(blocks, { timedSyncInterval: 100_000_000 }, { clock });
    const peer = await ScriptedPeer.dial(node.port);
    await peer.handshake({ height: 11, tip: ids[10]! });
    const [session = 0] = node.sessionIds();
    const fetched = node.fetchBlocks(session, [ids[3]!]);
    await peer.nextOf(Command.requestObjects);
    clock.advance(60_000);
    expect(await fetched).toEqual([]);
    expect(await node.fetchBlocks(session, [ids[4]!])).toEqual([]);

    peer.sendObjects({ currentHeight: 11, blocks: [blocks[3]!] });
    await Promise.race([peer.closed, peer.settle({ height: 11, tip: ids[10]! })]);
    expect(logger.lines.filter((line) => line.includes('closed:'))).toEqual([]);
    const next = node.fetchBlocks(session, [ids[4]!]);
    await peer.nextOf(Command.requestObjects);
    peer.sendObjects({ currentHeight: 11, blocks: [blocks[4]!] });
    expect(await next).toEqual([{ id: ids[4], raw: blocks[4] }]);
  });
});
