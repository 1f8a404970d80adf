import { FUSION_MAX_SIZE, networkOf, type KeyInput } from '@wrkz/core-types';
import { checkHash, powHash } from '@wrkz/crypto';
import {
  isFusion,
  isUnlocked,
  minimumFee,
  mixinAllowed,
  ringIndexes,
  transactionNonceMeets,
  transactionPowDifficulty,
  transactionPowSearch,
  unlockTimeAllowed,
  walletTransactionSizeLimit,
} from '@wrkz/consensus';
import { readJsonLines } from '@wrkz/testing/fixtures';

interface HeightRow {
  height: number;
  min_fee: Record<string, number>;
  max_tx_size: number;
  min_mixin: string;
  max_mixin: string;
  default_mixin: string;
  dust_threshold: number;
  fusion_dust_threshold: number;
}

interface FusionRow {
  op: string;
  height: number;
  inputs: string[];
  outputs: string[];
  size: number;
  ok: boolean;
}

const input = (ring: number): KeyInput => ({
  type: 'key',
  amount: 1n,
  keyOffsets: new Array<number>(ring).fill(1),
  keyImage: Buffer.alloc(32),
});

describe.each(['mainnet', 'devnet'] as const)('recorded rules of %s', (name) => {
  const { rulesAt } = networkOf(name);
  const heights = readJsonLines<HeightRow>(`vectors/heights-${name}.jsonl`);

  test('fees', () => {
    for (const row of heights) {
      for (const [size, fee] of Object.entries(row.min_fee)) {
        expect([row.height, size, minimumFee(Number(size), rulesAt(row.height).feeRule)]).toEqual([
          row.height,
          size,
          BigInt(fee),
        ]);
      }
    }
  });

  test('the largest transaction of a wallet', () => {
    for (const row of heights) expect(walletTransactionSizeLimit(row.height)).toBe(row.max_tx_size);
  });

  test('ring sizes', () => {
    for (const row of heights) {
      const { mixin } = rulesAt(row.height);
      const min = Number(row.min_mixin);
      expect(mixinAllowed([input(min + 1)], mixin)).toBe(true);
      if (min > 0) expect(mixinAllowed([input(min)], mixin)).toBe(false);
      const max = Number(row.max_mixin);
      if (max > 1e9) continue;
      expect(mixinAllowed([input(max + 1)], mixin)).toBe(true);
      expect(mixinAllowed([input(max + 2)], mixin)).toBe(false);
    }
  });

  test('fusion', () => {
    const rows = readJsonLines<FusionRow>(name === 'mainnet' ? 'vectors/fusion.jsonl' : 'vectors/fusion-devnet.jsonl');
    const fusions = rows.filter((row) => row.op === 'isFusionTransaction');
    expect(fusions.length).toBe(300);
    for (const row of fusions) {
      const verdict = isFusion(row.inputs.map(BigInt), row.outputs.map(BigInt), row.size, rulesAt(row.height));
      expect(verdict).toBe(row.ok);
    }
  });
});

describe("a transaction's own proof of work", () => {
  const prefix = Buffer.alloc(40, 3);
  const nonce = Buffer.alloc(8, 7);
  const filled = Buffer.concat([prefix.subarray(0, 32), nonce]);

  test('is searched for in the last eight bytes of the prefix', () => {
    const search = transactionPowSearch(prefix, 5n);
    expect(search).toEqual({ algorithm: 'cn_upx', data: prefix, nonceOffset: 32, nonceSize: 8, difficulty: 5n });
  });

  test('is valid with a nonce in those bytes', () => {
    const hash = powHash('cn_upx', filled);
    for (const difficulty of [1n, 2n, 5n, 100n, 1n << 60n]) {
      expect(transactionNonceMeets(prefix, nonce, difficulty)).toBe(checkHash(hash, difficulty));
    }
    const nonces = Array.from({ length: 20 }, (_, value) => Buffer.alloc(8, value));
    const hashes = nonces.map((own) => powHash('cn_upx', Buffer.concat([prefix.subarray(0, 32), own])));
    const meeting = nonces.map((own) => transactionNonceMeets(prefix, own, 2n));
    expect(new Set(meeting).size).toBe(2);
    expect(meeting).toEqual(hashes.map((own) => checkHash(own, 2n)));
  });
});

test('an offset of 0 references no second output', () => {
  expect(ringIndexes([5, 0])).toEqual([5]);
  expect(ringIndexes([5, 1, 0xffff_ffff])).toEqual([5, 6]);
});

describe('fusion', () => {
  const rules = networkOf('mainnet').rulesAt(1_000_000);
  const inputs = new Array<bigint>(12).fill(10_000n);
  const outputs = [10_000n, 100_000n];

  test('has at most 30,000 bytes', () => {
    const free = { ...rules, fusionFee: 10_000n };
    const verdict = (size: number): boolean => isFusion(inputs, [10_000n, 100_000n], size, free);
    expect([verdict(FUSION_MAX_SIZE), verdict(FUSION_MAX_SIZE + 1)]).toEqual([true, false]);
  });

  test('has one output per digit of its sum and no other', () => {
    const free = { ...rules, fusionFee: 10_000n };
    const verdict = (paid: bigint[]): boolean => isFusion(inputs, paid, 1000, free);
    expect(verdict(outputs)).toBe(true);
    expect(verdict([...outputs, 1n])).toBe(false);
    expect(verdict(outputs.slice(0, 1))).toBe(false);
    expect(verdict([...outputs].reverse())).toBe(false);
  });

  test('has the amount below the dust threshold as its first output', () => {
    const dusty = { fusionFee: 0n, fusionDustThreshold: 5n };
    const small = new Array<bigint>(12).fill(11n);
    expect(isFusion([...small, 11n], [3n, 40n, 100n], 1000, dusty)).toBe(true);
    expect(isFusion([...small, 11n], [40n, 100n, 3n], 1000, dusty)).toBe(false);
  });
});

test('the minimum ring size applies to the largest ring until 4,300,000, and to the smallest from there on', () => {
  const { rulesAt } = networkOf('mainnet');
  const mixed = [input(1), input(2)];
  expect(mixinAllowed(mixed, rulesAt(4_299_999).mixin)).toBe(true);
  expect(mixinAllowed(mixed, rulesAt(4_300_000).mixin)).toBe(false);
  expect(mixinAllowed([], rulesAt(0).mixin)).toBe(true);
  expect(mixinAllowed([], rulesAt(4_300_000).mixin)).toBe(false);
  expect(mixinAllowed([{ type: 'base', height: 1 }], rulesAt(0).mixin)).toBe(true);
});

describe('unlock times', () => {
  test('an output unlocks one block early, or 60 seconds', () => {
    const at = { height: 99, timestamp: 1_700_000_000 };
    expect([isUnlocked(0n, at), isUnlocked(100n, at), isUnlocked(101n, at)]).toEqual([true, true, false]);
    expect([isUnlocked(1_700_000_060n, at), isUnlocked(1_700_000_061n, at)]).toEqual([true, false]);
  });

  test('500,000,000 is a timestamp for an output and an index for a new transaction', () => {
    expect(isUnlocked(499_999_999n, { height: 99, timestamp: 1_700_000_000 })).toBe(false);
    expect(isUnlocked(500_000_000n, { height: 99, timestamp: 1_700_000_000 })).toBe(true);
    expect(unlockTimeAllowed(500_000_000n, 15, 2_000_000, 1_700_000_000)).toBe(true);
    expect(unlockTimeAllowed(500_000_001n, 15, 2_000_000, 1_700_000_000)).toBe(false);
  });

  test('a new transaction must lock for 15 blocks or 900 seconds', () => {
    expect([114n, 115n].map((time) => unlockTimeAllowed(time, 15, 100, 0))).toEqual([false, true]);
    const times = [1_700_000_899n, 1_700_000_900n, (1n << 64n) - 1n];
    expect(times.map((time) => unlockTimeAllowed(time, 15, 100, 1_700_000_000))).toEqual([false, true, true]);
  });
});

test('the transaction proof of work has the difficulty of its height', () => {
  const mainnet = networkOf('mainnet');
  const prefix = { inputs: [input(2), input(2)], outputs: new Array(6).fill({ amount: 1n, key: Buffer.alloc(32) }) };
  const at = (height: number, fusion = false): bigint => transactionPowDifficulty(prefix, mainnet, height, fusion);
  expect([at(1_122_999), at(1_123_000), at(1_200_000), at(1_200_001), at(4_300_000)]).toEqual([
    0n,
    20_000n,
    20_000n,
    66_000n,
    66_000n,
  ]);
  expect([at(1_123_000, true), at(1_200_001, true)]).toEqual([60_000n, 320_000n]);
  expect(transactionPowDifficulty(prefix, networkOf('devnet'), 500, false)).toBe(66n);
});

test('ring indexes are sums modulo 2^32, as an ascending set', () => {
  expect(ringIndexes([7, 3, 300])).toEqual([7, 10, 310]);
  expect(ringIndexes([5, 0xffffffff])).toEqual([4, 5]);
  expect(ringIndexes([5, 0x80000000, 0x80000000])).toEqual([5, 0x80000005]);
});
