import type { RawBlock } from '@wrkz/core-types';
import { SteppedClock } from '@wrkz/testing';
import { SyncCoordinator } from '../../../src/p2p/sync/coordinator';
import { newSyncRecord, type SyncSession } from '../../../src/p2p/sync/sync-peer';
import { FakeChain, sha256, TestLogger, toyBlock, toyChain, toyCodec } from '../fakes';

/** A session that records the hashes of the blocks that are requested from it. */
function newSession(id: number, height: number): { session: SyncSession; requested: Buffer[][] } {
  const requested: Buffer[][] = [];
  const session: SyncSession = {
    ...{ id, name: `peer ${id}`, incoming: false, lastHeard: 0, progressAt: undefined, claim: undefined },
    record: newSyncRecord(),
    remoteHeight: height,
    requestChain: () => undefined,
    requestObjects: (hashes) => requested.push([...hashes]),
    close: () => undefined,
  };
  return { session, requested };
}

test('requests the blocks that a slow peer holds up from another one although 96 MiB of later blocks wait', async () => {
  const [genesis = toyBlock(Buffer.alloc(32), 0)] = toyChain(0);
  const blocks: RawBlock[] = [];
  const hashes = [sha256(genesis.block)];
  for (let salt = 1; salt <= 8; salt += 1) {
    const raw = toyBlock(hashes.at(-1) ?? genesis.block, salt, [Buffer.alloc(16 * 1024 * 1024, salt)]);
    blocks.push(raw);
    hashes.push(sha256(raw.block));
  }
  const clock = new SteppedClock();
  const chain = new FakeChain(toyCodec, [genesis]);
  const coordinator = new SyncCoordinator(
    {
      ...{ chain, codec: toyCodec, clock, logger: new TestLogger(), onEnd: () => undefined, onFree: () => undefined },
      ...{ onRecord: () => undefined, session: () => undefined },
    },
    { maxPeers: 3, failureThreshold: 2, min: 1, max: 1, limit: 1, bytes: 2 ** 30 },
  );
  const [slow, quick] = [newSession(1, 9), newSession(2, 9)];
  for (const { session } of [slow, quick]) {
    coordinator.start(session);
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 9 });
  }
  for (let next = 1; next <= 4; next += 1) {
    expect(quick.requested.at(-1)).toEqual([hashes[next + 1]]);
    const delivered = blocks.slice(next, next + 1);
    await coordinator.onObjects(quick.session, { transactions: [], blocks: delivered, missed: [], currentHeight: 9 });
  }
  expect(quick.requested).toHaveLength(4);
  clock.advance(16_000);
  coordinator.tick();
  expect(quick.requested.slice(4)).toEqual([[hashes[1]]]);
});
