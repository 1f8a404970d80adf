import type { ChainReader } from '@wrkz/chain-db';
import { networkOf, parseBlock, type RawBlock } from '@wrkz/core-types';
import { readFixture, readJson } from '@wrkz/testing/fixtures';
import { runQuery } from '../../src/rpc';
import { info } from '../../src/rpc/handlers/node';
import type { RpcContext } from '../../src/rpc';
import { readerOf } from './support/chain-of';

interface RawBlocksAnswer {
  readonly items: readonly { readonly block: string; readonly transactions: readonly string[] }[];
}

const FIRST = 4_213_000;
const mainnet = networkOf('mainnet');

const blocks: readonly RawBlock[] = ['rawblocks_4213000_v7', 'rawblocks_4213001_v7_reconstructed'].flatMap((name) =>
  readJson<RawBlocksAnswer>(`mainnet/${name}.json`).items.map(({ block, transactions }) => ({
    block: Buffer.from(block, 'hex'),
    transactions: transactions.map((hex) => Buffer.from(hex, 'hex')),
  })),
);

/** A reader with the two recorded blocks, in a longer chain. It has only the methods that the queries use. */
function recordedReader(decoys: ReadonlyMap<bigint, { index: number; key: Buffer }[]> = new Map()): ChainReader {
  const reader: Partial<ChainReader> = {
    ...readerOf(blocks, { first: FIRST, tip: FIRST + 500 }),
    globalIndexesRange: (start, end) =>
      Array.from({ length: end - start }, (_, i) => ({
        hash: parseBlock((blocks[start + i - FIRST] as RawBlock).block).coinbase.hash,
        indexes: [3_808_773 + i],
      })),
    randomOutputs: (amount, count) => (decoys.get(amount) ?? []).slice(0, count).reverse(),
  };
  return reader as ChainReader;
}

function answered(...[reader, network, name, query]: Parameters<typeof runQuery>): string {
  return runQuery(reader, network, name, query).toString('latin1');
}

const text = (name: string): string => readFixture(`mainnet/${name}.json`).trim();

const syncQuery = {
  checkpoints: Buffer.alloc(0),
  startHeight: FIRST,
  startTimestamp: 0,
  blockCount: 2,
  skipCoinbase: false,
  skipKeyOffsets: false,
  skipEmpty: false,
  endHeight: 0,
  encoding: 'hex',
} as const;

test('/getwalletsyncdata returns the recorded response, byte for byte', () => {
  expect(answered(recordedReader(), mainnet, 'walletSyncData', syncQuery)).toBe(text('getwalletsyncdata_4213000'));
});

test('base64 encodes the same data, hashes and keys in 44 characters', () => {
  const hex = answered(recordedReader(), mainnet, 'walletSyncData', syncQuery);
  const base64 = answered(recordedReader(), mainnet, 'walletSyncData', { ...syncQuery, encoding: 'base64' });
  const back = base64.replace(/"([A-Za-z0-9+/]{43}=)"/g, (_all, value: string) => {
    return `"${Buffer.from(value, 'base64').toString('hex')}"`;
  });
  expect(back).toBe(hex);
  expect(base64).not.toBe(hex);
});

test('endHeight is exclusive, empty blocks are skipped and reported', () => {
  const request = (changes: object) =>
    JSON.parse(answered(recordedReader(), mainnet, 'walletSyncData', { ...syncQuery, ...changes })) as {
      items: unknown[];
      scannedToHeight?: number;
    };
  expect(request({ endHeight: FIRST + 1 })).toMatchObject({ items: [{ blockHeight: FIRST }], scannedToHeight: FIRST });
  expect(request({ skipEmpty: true }).items).toHaveLength(2); // works only together with skipCoinbase
  const sparse = request({ skipEmpty: true, skipCoinbase: true });
  expect(sparse).toEqual({ items: [], scannedToHeight: FIRST + 1, status: 'OK', synced: true });
});

test('/getrawblocks returns the recorded bytes', () => {
  const query = { ...syncQuery, skipCoinbase: false };
  const response = JSON.parse(answered(recordedReader(), mainnet, 'rawBlocks', query)) as RawBlocksAnswer;
  expect(response.items.map(({ block }) => block)).toEqual(blocks.map(({ block }) => block.toString('hex')));
});

test('/get_global_indexes_for_range returns the recorded response', () => {
  const response = answered(recordedReader(), mainnet, 'globalIndexes', { start: FIRST, end: FIRST + 1 });
  expect(response).toBe(text('get_global_indexes_for_range'));
});

test('/getrandom_outs returns the recorded response for the recorded choice', () => {
  const recorded = readJson<{ outs: { amount: number; outs: { global_amount_index: number; out_key: string }[] }[] }>(
    'mainnet/getrandom_outs.json',
  );
  const decoys = new Map(
    recorded.outs.map(({ amount, outs }) => [
      BigInt(amount),
      outs.map((out) => ({ index: out.global_amount_index, key: Buffer.from(out.out_key, 'hex') })),
    ]),
  );
  const query = { amounts: [10_000n, 50_000n], count: 3, now: 0 };
  expect(answered(recordedReader(decoys), mainnet, 'randomOuts', query)).toBe(text('getrandom_outs'));
});

test('decoys are at least the coinbase window below the tip and are unlocked', () => {
  const rules: Parameters<ChainReader['randomOutputs']>[2][] = [];
  const reader: ChainReader = {
    ...recordedReader(),
    randomOutputs: (_amount: bigint, _count: number, rule: (typeof rules)[number]) => {
      rules.push(rule);
      return [{ index: 1, key: Buffer.alloc(32) }];
    },
  } as unknown as ChainReader;
  answered(reader, mainnet, 'randomOuts', { amounts: [1n], count: 1, now: 0 });
  const [rule] = rules;
  expect(rule?.maxHeight).toBe(FIRST + 500 - 40);
  const opensAt = (height: number): boolean | undefined =>
    rule?.isUnlocked({ key: Buffer.alloc(32), unlockTime: BigInt(height), height: 1 });
  expect([opensAt(FIRST + 501), opensAt(FIRST + 502)]).toEqual([true, false]);
});

test('/info has exactly the fields of the recorded response, of the same types', async () => {
  const recorded = JSON.parse(readFixture('rpc/info.json')) as Record<string, unknown>;
  const context: Partial<RpcContext> = {
    network: mainnet,
    reader: {
      ...recordedReader(),
      transactionCount: () => 7_724_380,
      alternativeCount: () => 0,
      floors: () => ({ bodies: 0, records: 0, lite: undefined }),
    } as unknown as ChainReader,
    storage: { prune: false, pruneDepth: 10_080 },
    nextDifficulty: () => 52_006_338n,
    heavierBranch: () => undefined,
    pool: { size: 0 } as RpcContext['pool'],
    peers: {
      networkHeight: () => FIRST + 501,
      observedHeight: () => FIRST + 500,
      connections: () => ({ outgoing: 3, incoming: 8 }),
      peerListSizes: () => ({ white: 10, gray: 112 }),
      seedCount: () => 4,
      lastSeedBootstrap: () => 0,
      sync: () => ({ activePeers: 0, averageBatchSize: 120, demotedPeers: 0 }),
    } as unknown as RpcContext['peers'],
    startTime: 1,
  };
  const ours = (await info.handle(context as RpcContext, {} as never)) as Record<string, unknown>;
  expect(Object.keys(ours)).toEqual(Object.keys(recorded));
  expect(ours['upgrade_heights']).toEqual(recorded['upgrade_heights']);
  expect(ours['supported_height']).toBe(recorded['supported_height']);
  expect(ours['hashrate']).toBe(866_772n);
  expect(ours['sync_features']).toEqual(recorded['sync_features']);
});
