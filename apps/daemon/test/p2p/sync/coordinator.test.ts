import type { RawBlock } from '@wrkz/core-types';
import { SteppedClock } from '@wrkz/testing';
import { type CloseReason, closeReasons } from '../../../src/p2p/limits/close-reasons';
import { SyncCoordinator, type SyncDependencies, type SyncOptions } from '../../../src/p2p/sync/coordinator';
import type { SyncSession } from '../../../src/p2p/sync/sync-peer';
import { newSyncRecord } from '../../../src/p2p/sync/sync-record';
import { FakeChain, sha256, TestLogger, toyBlock, toyBranch, toyChain, toyCodec } from '../fakes';

const MIB = 1024 * 1024;
const [genesis = toyBlock(Buffer.alloc(32), 0)] = toyChain(0);

/** Genesis and `count` blocks, each with a transaction of `bytes` bytes, and their hashes. */
function largeBlocks(count: number, bytes: number): { blocks: RawBlock[]; hashes: Buffer[] } {
  const blocks = [genesis];
  const hashes = [sha256(genesis.block)];
  for (let salt = 1; salt <= count; salt += 1) {
    const raw = toyBlock(hashes.at(-1) ?? genesis.block, salt, [Buffer.alloc(bytes, salt)]);
    blocks.push(raw);
    hashes.push(sha256(raw.block));
  }
  return { blocks, hashes };
}

function newCoordinator(options: Partial<SyncOptions> = {}, dependencies: Partial<SyncDependencies> = {}) {
  const clock = new SteppedClock();
  const chain = new FakeChain(toyCodec, [genesis]);
  const coordinator = new SyncCoordinator(
    {
      ...{ chain, codec: toyCodec, clock, logger: new TestLogger(), onEnd: () => undefined, onFree: () => undefined },
      ...{ onRecord: () => undefined, session: () => undefined },
      ...dependencies,
    },
    {
      syncMaxPeers: 3,
      syncPeerFailureThreshold: 2,
      syncBatchMin: 1,
      syncBatchMax: 1,
      blockSyncSize: 1,
      blockSyncBytes: 2 ** 30,
      ...options,
    },
  );
  return { coordinator, chain, clock };
}

/** A session that records the hashes of the blocks that are requested from it. */
function newSession(id: number, height: number): { session: SyncSession; requested: Buffer[][] } {
  const requested: Buffer[][] = [];
  const session: SyncSession = {
    ...{
      id,
      name: `peer ${id}`,
      incoming: false,
      claim: undefined,
      connection: { lastReceivedAt: 0, progressAt: undefined },
    },
    record: newSyncRecord(),
    remoteHeight: height,
    requestChain: () => undefined,
    requestObjects: (hashes) => requested.push([...hashes]),
    close: () => undefined,
  };
  return { session, requested };
}

/** Makes a session respond to requests for blocks. */
function serve(
  coordinator: SyncCoordinator,
  session: SyncSession,
  blocks: readonly RawBlock[],
  hashes: readonly Buffer[],
) {
  session.requestObjects = (requested) => {
    const delivered = requested.flatMap((hash) => blocks[hashes.findIndex((other) => other.equals(hash))] ?? []);
    const message = { transactions: [], blocks: delivered, missed: [], currentHeight: hashes.length };
    setImmediate(() => void coordinator.onObjects(session, message));
  };
}

test('requests the blocks that a slow peer holds up from another one although 96 MiB of later blocks wait', async () => {
  const { blocks, hashes } = largeBlocks(8, 16 * MIB);
  const { coordinator, clock } = newCoordinator();
  const [slow, quick] = [newSession(1, 9), newSession(2, 9)];
  for (const { session } of [slow, quick]) {
    coordinator.start(session);
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 9 });
  }
  for (let next = 2; next <= 5; next += 1) {
    expect(quick.requested.at(-1)).toEqual([hashes[next]]);
    const delivered = blocks.slice(next, next + 1);
    await coordinator.onObjects(quick.session, { transactions: [], blocks: delivered, missed: [], currentHeight: 9 });
  }
  expect(quick.requested).toHaveLength(4);
  clock.advance(16_000);
  coordinator.tick();
  expect(quick.requested.slice(4)).toEqual([[hashes[1]]]);
});

describe('blocks that a slow peer holds up', () => {
  /** A slow peer with the request for block 1, and a quick one that delivers the others after this many milliseconds. */
  async function holdUp(bytes: number, deliveries: readonly (readonly [number: number, milliseconds: number])[]) {
    const { blocks, hashes } = largeBlocks(6, bytes);
    const { coordinator, clock } = newCoordinator();
    const [slow, quick] = [newSession(1, 7), newSession(2, 7)];
    for (const { session } of [slow, quick]) {
      coordinator.start(session);
      coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 7 });
    }
    for (const [number, milliseconds] of deliveries) {
      clock.advance(milliseconds);
      const message = { transactions: [], blocks: blocks.slice(number, number + 1), missed: [], currentHeight: 7 };
      await coordinator.onObjects(quick.session, message);
    }
    return quick.requested.map(([hash]) => hashes.findIndex((other) => hash?.equals(other) === true));
  }

  it('are requested from a much faster one before later blocks once 12 MiB wait for them', async () => {
    const deliveries = [
      ...([
        [2, 300],
        [3, 300],
        [4, 300],
      ] as const),
      [5, 200],
      [1, 100],
    ] as const;
    expect(await holdUp(7 * MIB, deliveries)).toEqual([2, 3, 4, 5, 1, 6]);
  });

  it('are not requested from another peer that would take four times as long', async () => {
    const deliveries = [
      [2, 300],
      [3, 300],
      [4, 300],
      [5, 500],
    ] as const;
    expect(await holdUp(7 * MIB, deliveries)).toEqual([2, 3, 4, 5, 6]);
  });

  it('are requested after all later blocks while few wait for them', async () => {
    const deliveries = [
      [2, 300],
      [3, 300],
      [4, 300],
      [5, 300],
      [6, 100],
    ] as const;
    expect(await holdUp(10, deliveries)).toEqual([2, 3, 4, 5, 6, 1]);
  });
});

test('requests only the blocks before the first received one once 96 MiB of blocks wait', async () => {
  const { blocks, hashes } = largeBlocks(14, 8_200_000);
  const { coordinator } = newCoordinator({ syncBatchMin: 2, syncBatchMax: 2, blockSyncSize: 2 });
  const [slow, quick, last] = [newSession(1, 15), newSession(2, 15), newSession(3, 15)];
  const start = ({ session }: { session: SyncSession }): void => {
    coordinator.start(session);
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 15 });
  };
  const deliver = (numbers: readonly number[], missed: readonly number[] = []): Promise<void> =>
    coordinator.onObjects(quick.session, {
      ...{ transactions: [], currentHeight: 15, missed: missed.map((number) => hashes[number] ?? Buffer.alloc(32)) },
      blocks: numbers.map((number) => blocks[number] ?? genesis),
    });
  start(slow);
  start(quick);
  for (let next = 3; next <= 11; next += 2) await deliver([next, next + 1]);
  start(last);
  expect(last.requested).toEqual([]);
  coordinator.left(slow.session);
  expect(quick.requested.at(-1)).toEqual([hashes[1], hashes[2]]);
  await deliver([2], [1]);
  expect(last.requested).toEqual([[hashes[1]]]);
});

test('imports a chain although another peer announced a false block in the middle of it', async () => {
  const { blocks, hashes } = largeBlocks(3, 10);
  const onEnd = jest.fn();
  const { coordinator, chain } = newCoordinator({}, { onEnd });
  const ended = new Promise<void>((resolve) => onEnd.mockImplementation(() => resolve()));
  // Ends a test in which the coordinator passes the same block to the chain repeatedly.
  const addBlocks = chain.addBlocks.bind(chain);
  chain.addBlocks = (raws, source) =>
    chain.calls.length < 10 ? addBlocks(raws, source) : Promise.reject(new Error('too many calls'));
  const [dishonest, honest] = [newSession(1, 5), newSession(2, 4)];
  serve(coordinator, honest.session, blocks, hashes);
  const [first = genesis.block, ...rest] = hashes;
  coordinator.start(dishonest.session);
  coordinator.onChain(dishonest.session, {
    hashes: [first, sha256(Buffer.from('false')), ...rest],
    startHeight: 0,
    totalHeight: 5,
  });
  coordinator.start(honest.session);
  coordinator.onChain(honest.session, { hashes, startHeight: 0, totalHeight: 4 });
  await ended;
  expect(onEnd.mock.calls).toEqual([[honest.session, 'synchronized', 3]]);
  expect(chain.tip().height).toBe(3);
});

test('does not retain the frames in which blocks arrived', async () => {
  const { blocks, hashes } = largeBlocks(2, 100);
  const { coordinator, chain } = newCoordinator();
  const frame = Buffer.alloc(MIB);
  const view = (bytes: Buffer, at: number): Buffer => {
    bytes.copy(frame, at);
    return frame.subarray(at, at + bytes.length);
  };
  const imported = new Promise<readonly RawBlock[]>((resolve) => {
    chain.addBlocks = (raws) => {
      resolve(raws);
      return Promise.resolve([]);
    };
  });
  const { session } = newSession(1, 3);
  coordinator.start(session);
  coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 3 });
  const delivered = blocks.slice(1, 2).map(({ block, transactions }) => ({
    block: view(block, 0),
    transactions: transactions.map((bytes) => view(bytes, 1000)),
  }));
  await coordinator.onObjects(session, { transactions: [], blocks: delivered, missed: [], currentHeight: 3 });
  for (const { block, transactions } of await imported) {
    for (const bytes of [block, ...transactions]) expect(bytes.buffer.byteLength).toBeLessThan(MIB);
  }
});

test('closes the connection of a peer that announces the same blocks again and again', () => {
  const { hashes } = largeBlocks(9, 10);
  const { coordinator } = newCoordinator({ syncBatchMin: 20, syncBatchMax: 20, blockSyncSize: 20 });
  const [slow, dishonest] = [newSession(1, 10), newSession(2, 1_000)];
  const close = jest.spyOn(dishonest.session, 'close');
  coordinator.start(slow.session);
  coordinator.onChain(slow.session, { hashes, startHeight: 0, totalHeight: 10 });
  coordinator.start(dishonest.session);
  for (let round = 0; round < 4; round += 1) {
    expect(close).not.toHaveBeenCalled();
    coordinator.onChain(dishonest.session, { hashes, startHeight: 0, totalHeight: 1_000 });
  }
  coordinator.onChain(dishonest.session, { hashes, startHeight: 0, totalHeight: 1_000 });
  expect(close.mock.calls).toEqual([[closeReasons.chainEndless]]);
  expect(dishonest.requested).toEqual([]);
});

test('requests fewer blocks at once after a peer lost its slot because its response was late', () => {
  const { hashes } = largeBlocks(8, 10);
  const { coordinator, clock } = newCoordinator({
    syncMaxPeers: 1,
    syncBatchMin: 8,
    syncBatchMax: 8,
    blockSyncSize: 8,
  });
  const requestedBy = (id: number): number | undefined => {
    const { session, requested } = newSession(id, 9);
    coordinator.start(session);
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 9 });
    clock.advance(id === 1 ? 14_000 : 16_000);
    coordinator.giveUp(session);
    return requested[0]?.length;
  };
  expect([requestedBy(1), requestedBy(2), requestedBy(3)]).toEqual([8, 8, 4]);
});

test('requests the rest of a branch from its last known block while our chain is longer', () => {
  const { blocks, hashes } = largeBlocks(4, 10);
  const { coordinator, chain } = newCoordinator();
  const branch = toyBranch(sha256(genesis.block), 2, 7_000);
  for (const raw of [...blocks.slice(1), ...branch]) chain.add(raw);
  const [first = genesis.block, second = genesis.block] = branch.map(({ block }) => sha256(block));
  const { session } = newSession(1, 6);
  const requestChain = jest.spyOn(session, 'requestChain');
  coordinator.start(session);
  coordinator.onChain(session, { hashes: [sha256(genesis.block), first, second], startHeight: 0, totalHeight: 6 });
  expect(requestChain.mock.calls.map(([request]) => request[0])).toEqual([hashes[4], second]);
});

test('counts only failures in a row: a complete response in between starts over', async () => {
  const { blocks, hashes } = largeBlocks(3, 10);
  const onEnd = jest.fn();
  const { coordinator } = newCoordinator({}, { onEnd });
  const { session, requested } = newSession(1, 4);
  const respond = async (isMissed: boolean): Promise<void> => {
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 4 });
    const [hash = genesis.block] = requested.at(-1) ?? [];
    const delivered = isMissed ? [] : [blocks[hashes.findIndex((other) => other.equals(hash))] ?? genesis];
    const missed = isMissed ? [hash] : [];
    await coordinator.onObjects(session, { transactions: [], blocks: delivered, missed, currentHeight: 4 });
  };
  coordinator.start(session);
  for (const isMissed of [true, true, false, true, true]) await respond(isMissed);
  expect(onEnd).not.toHaveBeenCalled();
  await respond(true);
  expect(onEnd.mock.calls).toEqual([[session, 'demoted', 1]]);
});

test('requests a rejected block from another peer that announced it, and closes the deliverer', async () => {
  const { blocks, hashes } = largeBlocks(2, 10);
  const peers = [newSession(1, 3), newSession(2, 3)] as const;
  const { coordinator, chain } = newCoordinator({}, { session: (id) => peers[id - 1]?.session });
  const [first, second] = peers;
  const isRequestedAgain = new Promise<void>((resolve) => {
    second.session.requestObjects = ([hash]) => {
      if (hash !== undefined && hashes[1]?.equals(hash) === true) resolve();
    };
  });
  const reasons: CloseReason[] = [];
  first.session.close = (reason) => {
    reasons.push(reason);
    coordinator.left(first.session);
  };
  chain.refuse.set(hashes[1]?.toString('hex') ?? '', 'PROOF_OF_WORK_TOO_WEAK');
  for (const { session } of peers) {
    coordinator.start(session);
    coordinator.onChain(session, { hashes, startHeight: 0, totalHeight: 3 });
  }
  expect(first.requested).toEqual([[hashes[1]]]);
  const [, , later = genesis] = blocks;
  await coordinator.onObjects(second.session, { transactions: [], blocks: [later], missed: [], currentHeight: 3 });
  const delivered = blocks.slice(1, 2);
  await coordinator.onObjects(first.session, { transactions: [], blocks: delivered, missed: [], currentHeight: 3 });
  await isRequestedAgain;
  expect(first.requested).toHaveLength(1);
  expect(reasons).toEqual([closeReasons.invalidBlock]);
});

test('takes a chain in many short sections, and the claim of the peer from the last one', () => {
  const { hashes } = largeBlocks(9, 10);
  const { coordinator } = newCoordinator({ syncBatchMin: 20, syncBatchMax: 20, blockSyncSize: 20 });
  const [slow, steady] = [newSession(1, 10), newSession(2, 10)];
  const close = jest.spyOn(steady.session, 'close');
  coordinator.start(slow.session);
  coordinator.onChain(slow.session, { hashes, startHeight: 0, totalHeight: 10 });
  coordinator.start(steady.session);
  for (let height = 0; height < 9; height += 1) {
    expect(steady.session.claim).toBeUndefined();
    const section = hashes.slice(height, height + 2);
    coordinator.onChain(steady.session, { hashes: section, startHeight: height, totalHeight: 10 });
  }
  expect(close).not.toHaveBeenCalled();
  expect(steady.session.claim).toEqual({ height: 10, tip: hashes[9] });
});
