import fc from 'fast-check';
import { networkOf } from '@wrkz/core-types';
import {
  type ChainView,
  difficultyAfter,
  legacyBlocks,
  legacyDifficulty,
  LWMA_BLOCKS,
  lwmaDifficulty,
  lowestDifficulty,
  minDifficultyAfter,
  nextDifficulty,
} from '@wrkz/consensus';
import { readJson, readJsonLines } from '@wrkz/testing/fixtures';

interface Row {
  op: 'lwma' | 'lwma_wrap' | 'nextDifficulty' | 'getNextDifficulty' | 'windows';
  timestamps: string[];
  cumulative_difficulties: string[];
  V4: string;
  V5: string;
  result: string;
  version: number;
  block_index: number;
  height: number;
  difficultyBlocksCount: number;
  blockFutureTimeLimit: number;
  timestampCheckWindow: number;
}

const rows = readJsonLines<Row>('vectors/difficulty.jsonl');
const rowsOf = (...ops: Row['op'][]): Row[] => rows.filter((row) => ops.includes(row.op));
const mainnet = networkOf('mainnet');

describe('recorded difficulties', () => {
  test('are never below the lower bound by the last block, unless no block can follow', () => {
    for (const row of rowsOf('lwma', 'lwma_wrap')) {
      const cumulative = row.cumulative_difficulties.map(BigInt);
      if (cumulative.length < LWMA_BLOCKS) continue;
      const difficulty = BigInt.asUintN(64, (cumulative.at(-1) ?? 0n) - (cumulative.at(-2) ?? 0n));
      const bound = minDifficultyAfter(mainnet, { height: 4_000_000, difficulty });
      for (const next of [row.V4, row.V5].map(BigInt)) if (next !== 0n) expect(next).toBeGreaterThanOrEqual(bound);
    }
    expect(minDifficultyAfter(mainnet, { height: 4_000_000, difficulty: 1_000_000n })).toBe(670_000n);
    expect(minDifficultyAfter(mainnet, { height: LWMA_BLOCKS, difficulty: 1_000_000n })).toBe(0n);
    // The rule before LWMA has no such bound.
    expect(minDifficultyAfter(mainnet, { height: 1_000, difficulty: 1_000_000n })).toBe(0n);
  });

  test('equal those of LWMA in both versions, also with 64-bit overflow', () => {
    for (const row of rowsOf('lwma', 'lwma_wrap')) {
      const timestamps = row.timestamps.map(Number);
      const cumulative = row.cumulative_difficulties.map(BigInt);
      expect([
        lwmaDifficulty('lwma4', timestamps, cumulative),
        lwmaDifficulty('lwma5', timestamps, cumulative),
      ]).toEqual([BigInt(row.V4), BigInt(row.V5)]);
    }
    expect(rowsOf('lwma_wrap').length).toBeGreaterThan(0);
  });

  test('equal those of the legacy rule in every version', () => {
    for (const row of rowsOf('nextDifficulty')) {
      const args = [row.timestamps.map(Number), row.cumulative_difficulties.map(BigInt)] as const;
      expect(legacyDifficulty(row.version, row.block_index, ...args)).toBe(BigInt(row.result));
    }
  });

  test('equal those of the rule in force at an index', () => {
    for (const row of rowsOf('getNextDifficulty')) {
      const blocks = row.timestamps.map((timestamp, i) => ({
        timestamp: Number(timestamp),
        cumulativeDifficulty: BigInt(row.cumulative_difficulties[i] ?? 0),
      }));
      const { difficultyRule } = mainnet.rulesAt(row.block_index);
      expect(difficultyAfter(difficultyRule, row.version, row.block_index, blocks)).toBe(BigInt(row.result));
    }
  });

  test('equal those of the windows of every version', () => {
    for (const row of rowsOf('windows')) {
      const rules = mainnet.rulesAt(row.height);
      const count = rules.difficultyRule === 'legacy' ? legacyBlocks(row.version) : LWMA_BLOCKS;
      expect([rules.futureTimeLimit, rules.timestampWindow, count]).toEqual([
        row.blockFutureTimeLimit,
        row.timestampCheckWindow,
        row.difficultyBlocksCount,
      ]);
    }
  });
});

interface Header {
  height: number;
  timestamp: number;
  difficulty: number;
  major_version: number;
}

describe('mainnet headers', () => {
  /** Recomputes each difficulty with a complete window. Only differences of cumulative difficulties matter, so any start works. */
  const recompute = (file: string): number => {
    const headers = readJson<Header[] | { items: Header[] }>(file);
    const list = Array.isArray(headers) ? headers : headers.items;
    let sum = 1_000_000_000_000n;
    const blocks = list.map((header) => {
      sum += BigInt(header.difficulty);
      return { ...header, cumulativeDifficulty: sum };
    });
    let checked = 0;
    for (let i = 1; i < blocks.length; i++) {
      const block = blocks[i]!;
      const { difficultyRule } = mainnet.rulesAt(block.height - 1);
      const count = difficultyRule === 'legacy' ? legacyBlocks(block.major_version) : LWMA_BLOCKS;
      if (i < count) continue;
      const window = blocks.slice(i - count, i);
      expect(difficultyAfter(difficultyRule, block.major_version, block.height - 1, window)).toBe(
        BigInt(block.difficulty),
      );
      checked++;
    }
    return checked;
  };

  test('have the recorded difficulty across the switch at 100,000', () => {
    expect(recompute('mainnet/headers_99939_to_100001.json')).toBe(46);
  });

  test('of 2026 have the recorded difficulty', () => {
    expect(recompute('mainnet/headers_4213588_to_4213650.json')).toBe(2);
  });
});

describe('LWMA by another formula', () => {
  const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);

  /** A second implementation in bigint, by the formula of docs/protocol/difficulty-and-reward.md#lwma. */
  function plain(
    ts: bigint[],
    cd: bigint[],
    least: bigint,
    most: bigint | undefined,
    fast: bigint,
  ): bigint | undefined {
    let weighted = 0n;
    let last = 0n;
    for (let i = 1; i <= 60; i++) {
      let st = ts[i]! - ts[i - 1]!;
      if (most !== undefined && st > most) st = most;
      if (st < least) st = least;
      weighted += st * BigInt(i);
      if (i > 57) last += st;
    }
    if (weighted === 0n) return undefined;
    const prev = int64(cd[60]! - cd[59]!);
    let next = int64(int64(int64(int64(cd[60]! - cd[0]!) * 60n) * 61n) * 99n) / (200n * weighted);
    const high = int64(prev * 150n) / 100n;
    const low = int64(prev * 67n) / 100n;
    if (next > high) next = high;
    if (next < low) next = low;
    const floor = int64(prev * fast) / 100n;
    if (last < 48n && next < floor) next = floor;
    return BigInt.asUintN(64, next);
  }

  const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  const window = fc.record({
    steps: fc.array(fc.integer({ min: -1000, max: 5000 }), { minLength: 60, maxLength: 60 }),
    start: fc.integer({ min: 1_500_000_000, max: 2_000_000_000 }),
    cumulative: fc.oneof(
      fc.array(uint64, { minLength: 61, maxLength: 61 }),
      fc.array(fc.bigInt({ min: 1n, max: 1n << 40n }), { minLength: 61, maxLength: 61 }).map((work) => {
        let sum = 0n;
        return work.map((one) => (sum += one));
      }),
    ),
  });

  test.each([
    ['lwma4' as const, -360n, undefined, 110n],
    ['lwma5' as const, -240n, 360n, 108n],
  ])('%s', (rule, least, most, fast) => {
    fc.assert(
      fc.property(window, ({ steps, start, cumulative }) => {
        let time = start;
        const timestamps = [start, ...steps.map((step) => (time += step))];
        const expected = plain(timestamps.map(BigInt), cumulative, least, most, fast);
        expect(lwmaDifficulty(rule, timestamps, cumulative)).toBe(expected ?? 0n);
      }),
      { numRuns: 300 },
    );
  });

  test('rejects equal timestamps, for which the reference divides by zero', () => {
    const timestamps = new Array<number>(61).fill(1_700_000_000);
    const cumulative = timestamps.map((_, i) => BigInt(i) * 1000n);
    expect(lwmaDifficulty('lwma5', timestamps, cumulative)).toBe(0n);
    expect(lwmaDifficulty('lwma4', timestamps, cumulative)).toBe(0n);
  });

  test('returns the starting value for a short window', () => {
    expect(lwmaDifficulty('lwma4', [1, 2], [1n, 2n])).toBe(1000n);
    expect(lwmaDifficulty('lwma5', [1, 2], [1n, 2n])).toBe(10000n);
  });
});

describe('the legacy rule', () => {
  test('is 0 if the work exceeds 64 bits', () => {
    expect(legacyDifficulty(4, 50, [1, 2, 3], [0n, 1n << 62n, (1n << 63n) - 1n])).toBe(0n);
  });

  test('overflows at 2^64 of work, time and rounding, and not before', () => {
    const work = ((1n << 64n) - 16n) / 60n;
    expect(legacyDifficulty(4, 50, [0, 16], [0n, work])).toBe(((1n << 64n) - 16n) / 16n);
    expect(legacyDifficulty(4, 50, [0, 17], [0n, work])).toBe(0n);
  });

  test('rounds up in the first versions, only if the quotient is not exact', () => {
    expect(legacyDifficulty(1, 50, [0, 60], [0n, 7n])).toBe(7n);
    expect(legacyDifficulty(1, 50, [0, 7], [0n, 1n])).toBe(9n);
    expect(legacyDifficulty(3, 50, [0, 7], [0n, 1n])).toBe(8n);
  });

  /* None of our chains had blocks of version 1 or 2 at these heights. */
  test('would have a shorter window and a minimum of 100 for them from index 20160 on', () => {
    expect(legacyDifficulty(1, 20_159, [0, 60], [0n, 7n])).toBe(7n);
    expect(legacyDifficulty(1, 20_160, [0, 60], [0n, 7n])).toBe(100n);
    expect(legacyDifficulty(1, 20_160, [0, 60], [0n, 107n])).toBe(107n);
    // The work of the last 17 blocks overflows, the work of all blocks does not.
    const cumulative = Array.from({ length: 30 }, (_, i) => (i === 13 ? 1n : 0n));
    const timestamps = cumulative.map((_, i) => 60 * i);
    expect(legacyDifficulty(1, 20_160, timestamps, cumulative)).toBe(0n);
  });
});

describe('the window of the next difficulty', () => {
  /** The requested windows for the block after this index of mainnet. */
  const requestedWindows = (parentHeight: number): [number, number][] => {
    const windows: [number, number][] = [];
    const view = {
      window: (end: number, count: number) => {
        windows.push([end, count]);
        return [];
      },
    } as unknown as ChainView;
    nextDifficulty(mainnet, parentHeight, view);
    return windows;
  };

  test.each([
    ['the first versions, without genesis', 5, [5, 5]],
    ['version 3 and 4', 50_000, [50_000, 17]],
    ['LWMA', 4_000_000, [4_000_000, 61]],
  ])('of %s', (_, parentHeight, window) => expect(requestedWindows(parentHeight)).toEqual([window]));
});

test('the minimum difficulty of a height is below all recorded ones of mainnet, and fixed on other networks', () => {
  const mainnet = networkOf('mainnet');
  const recorded = [
    'rpc/block_headers_at_version_boundaries.json',
    'mainnet/headers_99939_to_100001.json',
    'mainnet/headers_4213588_to_4213650.json',
  ].flatMap((name) => {
    const headers = readJson<Recorded[] | { items: Recorded[] }>(name);
    return Array.isArray(headers) ? headers : headers.items;
  });
  expect(recorded.length).toBeGreaterThan(100);
  for (const { height, difficulty } of recorded) {
    const lowest = lowestDifficulty(mainnet, height);
    expect(height < 4 || lowest * 3n < BigInt(difficulty)).toBe(true);
    expect(lowest <= BigInt(difficulty)).toBe(true);
  }
  const firstOf = (version: number): number =>
    Array.from({ length: 600_000 }, (_, height) => height).find(
      (height) => mainnet.rulesAt(height).blockVersion === version,
    ) ?? 0;
  expect([3, 4, 5].map((version) => lowestDifficulty(mainnet, firstOf(version)))).toEqual([1n, 1_000n, 100_000n]);
  expect(lowestDifficulty(mainnet, 5_000_000)).toBe(100_000n);
  expect(lowestDifficulty(networkOf('devnet'), 5)).toBe(10n);
});

interface Recorded {
  readonly height: number;
  readonly difficulty: number;
}

test('a window with a missing block is an error', () => {
  const timestamps = Array.from({ length: 61 }, (_, i) => 60 * i);
  expect(() => lwmaDifficulty('lwma5', timestamps, [1n])).toThrow('a difficulty window of 1 blocks has no block 60');
});
