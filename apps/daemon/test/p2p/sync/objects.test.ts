import type { RawBlock } from '@wrkz/core-types';
import { Command } from '@wrkz/levin';
import { ScriptedPeer, SteppedClock } from '@wrkz/testing';
import { closeReasons } from '../../../src/p2p/limits/close-reasons';
import type { Session } from '../../../src/p2p/session/session';
import { BlockFetcher } from '../../../src/p2p/sync/objects';
import { sha256, toyChain, toyCodec } from '../fakes';
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

  const [, whole, foreign] = blocks as [RawBlock, RawBlock, RawBlock];
  const partial = { ...whole, transactions: whole.transactions.slice(1) };
  const NONE: RawBlock[] = [];
  const CASES: [
    string,
    { sent: RawBlock[]; isSyncing?: boolean; taken?: boolean; got?: RawBlock[]; closes?: boolean },
  ][] = [
    ['has the block', { sent: [whole], got: [whole] }],
    ['has no block', { sent: NONE }],
    ['has another block, too', { sent: [whole, foreign], got: [whole], closes: true }],
    ['has the block without one of its transactions', { sent: [partial], closes: true }],
    ['has only blocks that the synchronisation requested', { sent: [foreign], isSyncing: true, taken: false }],
    ['has no block during a synchronisation', { sent: NONE, isSyncing: true }],
  ];
  it.each(CASES)('a response that %s', async (_what, { sent, isSyncing = false, taken = true, got = NONE, closes }) => {
    const fetcher = new BlockFetcher(toyCodec, new SteppedClock());
    const closed: unknown[] = [];
    const session = { id: 1, requestObjects: () => undefined, close: (reason: unknown) => closed.push(reason) };
    const fetched = fetcher.request(session as unknown as Session, [sha256(whole.block)]);
    const message = { transactions: [], blocks: sent, missed: [], currentHeight: 11 };
    expect(fetcher.take(session as unknown as Session, message, isSyncing)).toBe(taken);
    expect([fetcher.awaits(session), closed]).toEqual([!taken, closes === true ? [closeReasons.objectsForeign] : []]);
    fetcher.left(session);
    expect((await fetched).map(({ raw }) => raw)).toEqual(got);
  });
});
