import fc from 'fast-check';
import { networkOf, type Rules } from '@wrkz/core-types';
import { type BlockFacts, blockReward, hardSizeLimit, median, medianSize, penalizedAmount } from '@wrkz/consensus';
import { readJsonLines } from '@wrkz/testing/fixtures';

interface Row {
  op: 'getBlockReward' | 'getPenalizedAmount' | 'maxBlockCumulativeSize' | 'blockGrantedFullRewardZoneByBlockVersion';
  already_generated: string;
  amount: string;
  block_size: number;
  emission_change: string;
  fee: string;
  height: number;
  major_version: number;
  median_size: number;
  ok: boolean;
  result: string | number;
  reward: string;
  version: number;
}

const rows = readJsonLines<Row>('vectors/reward.jsonl');
const rowsOf = (op: Row['op']): Row[] => rows.filter((row) => row.op === op);
const { rulesAt } = networkOf('mainnet');

/** Rules for a version and a height that do not match on mainnet, because the vectors combine them freely. */
function rulesOf(version: number, height: number): Pick<Rules, 'baseReward' | 'fullRewardZone' | 'feesPenalized'> {
  const firstOfVersion = [0, 0, 2, 3, 4, 302_401, 600_001, 1_000_001];
  return { ...rulesAt(firstOfVersion[version] ?? 0), baseReward: rulesAt(height).baseReward };
}

test('rewards equal the recorded ones', () => {
  for (const row of rowsOf('getBlockReward')) {
    const reward = blockReward({
      rules: rulesOf(row.major_version, row.height),
      medianSize: row.median_size,
      size: row.block_size,
      generatedCoins: BigInt(row.already_generated),
      fees: BigInt(row.fee),
    });
    if (!row.ok) expect(reward).toBeUndefined();
    else expect([reward?.total, reward?.emission]).toEqual([BigInt(row.reward), BigInt(row.emission_change)]);
  }
});

test('a block over twice the median has a penalty of the whole amount, also of 0', () => {
  expect(() => penalizedAmount(1n, 100, 201)).toThrow('a block over twice the median size has no reward');
  expect([penalizedAmount(1n, 100, 200), penalizedAmount(0n, 100, 201)]).toEqual([0n, 0n]);
});

test('the median size uses the last hundred blocks', () => {
  const sizes = (count: number, size: number) => new Array(count).fill({ size }) as BlockFacts[];
  expect(medianSize([...sizes(300, 1), ...sizes(100, 7)])).toBe(7);
  expect(medianSize([...sizes(51, 1), ...sizes(49, 7)])).toBe(1);
});

test('penalties equal the recorded ones', () => {
  for (const row of rowsOf('getPenalizedAmount')) {
    expect(penalizedAmount(BigInt(row.amount), row.median_size, row.block_size)).toBe(BigInt(row.result));
  }
});

test('size limits equal the recorded ones', () => {
  for (const row of rowsOf('maxBlockCumulativeSize')) expect(hardSizeLimit(row.height)).toBe(row.result);
  for (const row of rowsOf('blockGrantedFullRewardZoneByBlockVersion')) {
    expect(rulesOf(row.version, 0).fullRewardZone).toBe(row.result);
  }
});

test('the penalty is amount x size x (2 x median - size) / median^2, rounded down', () => {
  const sizes = fc
    .integer({ min: 1, max: 10_000_000 })
    .chain((mid) => fc.record({ mid: fc.constant(mid), size: fc.integer({ min: 0, max: 2 * mid }) }));
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), sizes, (amount, { mid, size }) => {
      const m = BigInt(mid);
      const s = BigInt(size);
      const expected = s <= m ? amount : (amount * s * (2n * m - s)) / (m * m);
      expect(penalizedAmount(amount, mid, size)).toBe(expected);
    }),
  );
});

test('reward and emission add up: the part of the fees that the penalty deducts is burnt', () => {
  const { baseReward, ...rest } = rulesAt(2_000_000);
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.integer({ min: 100_000, max: 300_000 }),
      fc.integer({ min: 0, max: 600_001 }),
      (fees, medianSize, size) => {
        const reward = blockReward({ rules: { baseReward, ...rest }, medianSize, size, generatedCoins: 0n, fees });
        if (size > 2 * medianSize) return expect(reward).toBeUndefined();
        return expect(reward?.total).toBe((reward?.emission ?? 0n) + fees);
      },
    ),
  );
});

test('a block over twice the median has no penalty, it has no reward at all', () => {
  expect(() => penalizedAmount(1n, 100, 201)).toThrow(RangeError);
});

test('the median of an even number of values is the mean of the middle two, rounded down', () => {
  expect([median([]), median([7]), median([4, 1]), median([3, 1, 2]), median([1, 2, 3, 10])]).toEqual([0, 7, 2, 2, 2]);
});
