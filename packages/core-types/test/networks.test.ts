import { cnFastHash } from '@wrkz/crypto';
import { readJsonLines } from '@wrkz/testing/fixtures';
import {
  blockHash,
  decodeBlock,
  networkNames,
  networkOf,
  type NetworkName,
  REORGANISATION_DEPTH,
  type Rules,
  toHex,
} from '../src';
import { chainA, readSections } from './recorded';

interface Row {
  height: number;
  default_mixin: string;
  min_mixin: string;
  max_mixin: string;
  dust_threshold: number;
  fusion_dust_threshold: number;
  min_fee: Record<string, number>;
}

function minimumFee({ feeRule }: Rules, size: number): bigint {
  return feeRule.kind === 'fixed' ? feeRule.amount : feeRule.amount * BigInt(Math.ceil(size / feeRule.chunk));
}

test.each(['mainnet', 'devnet'] as const)('recorded rules by height: %s', (name) => {
  for (const row of readJsonLines<Row>(`vectors/heights-${name}.jsonl`)) {
    const rules = networkOf(name).rulesAt(row.height);
    expect({
      height: row.height,
      min: rules.mixin.min.toString(),
      max: rules.mixin.max === Infinity ? (2n ** 64n - 1n).toString() : rules.mixin.max.toString(),
      default: rules.mixin.default.toString(),
      dust: Number(rules.dustThreshold),
      fusionDust: Number(rules.fusionDustThreshold),
    }).toEqual({
      height: row.height,
      min: row.min_mixin,
      max: row.max_mixin,
      default: row.default_mixin,
      dust: row.dust_threshold,
      fusionDust: row.fusion_dust_threshold,
    });
    for (const [size, fee] of Object.entries(row.min_fee)) expect(minimumFee(rules, Number(size))).toBe(BigInt(fee));
  }
});

/** Field, last height of the old value, old value and new value. */
type Change = readonly [keyof Rules, number, unknown, unknown];

const txPow = (base: bigint, perIo: bigint, outputFactor: number, fusion: bigint) => ({
  base,
  perIo,
  outputFactor,
  fusion,
});

const mainnetChanges: readonly Change[] = [
  ['blockVersion', 1, 1, 2],
  ['blockVersion', 2, 2, 3],
  ['blockVersion', 3, 3, 4],
  ['blockVersion', 302_400, 4, 5],
  ['blockVersion', 600_000, 5, 6],
  ['blockVersion', 1_000_000, 6, 7],
  ['powAlgorithm', 3, 'cn_slow_hash_v0', 'cn_lite_slow_hash_v1'],
  ['powAlgorithm', 302_400, 'cn_lite_slow_hash_v1', 'cn_turtle_lite_slow_hash_v2'],
  ['powAlgorithm', 600_000, 'cn_turtle_lite_slow_hash_v2', 'chukwa'],
  ['powAlgorithm', 1_000_000, 'chukwa', 'cn_upx'],
  ['fullRewardZone', 1, 10_000, 20_000],
  ['fullRewardZone', 2, 20_000, 100_000],
  ['feesPenalized', 1, false, true],
  ['difficultyRule', 99_999, 'legacy', 'lwma4'],
  ['difficultyRule', 128_799, 'lwma4', 'lwma5'],
  ['futureTimeLimit', 99_999, 7200, 360],
  ['templateTimestampWindow', 99_999, 60, 11],
  ['timestampWindow', 128_799, 60, 11],
  ['signatureCountChecked', 542_999, false, true],
  ['extraLimit', 543_039, undefined, 1024],
  ['blockListChecked', 599_999, false, true],
  ['timeLockByTip', 599_999, false, true],
  ['maxOutputs', 777_776, undefined, 90],
  ['maxOutputAmount', 799_999, undefined, 12_500_000_000_000n],
  ['fusionFee', 864_863, 0n, 10_000n],
  ['fusionFee', 1_122_999, 10_000n, 0n],
  ['txPow', 1_122_999, undefined, txPow(20_000n, 0n, 0, 60_000n)],
  ['txPow', 1_200_000, txPow(20_000n, 0n, 0, 60_000n), txPow(40_000n, 1_000n, 4, 320_000n)],
  ['templateChecksTxPow', 1_122_999, false, true],
  ['templateChecksTxPow', 1_123_100, true, false],
  ['minimumUnlock', 1_200_000, undefined, 15],
  ['baseReward', 1_499_999, undefined, 1_000_000n],
  ['feeEscapesPow', 1_499_999, undefined, 10_000n],
  ['poolUnlockWindow', 1_499_999, 40, 20],
  ['prunedPeersAvoided', 4_499_999, false, true],
];

const devnetChanges: readonly Change[] = [
  ['blockVersion', 1, 1, 2],
  ['blockVersion', 2, 2, 3],
  ['blockVersion', 3, 3, 4],
  ['blockVersion', 30, 4, 5],
  ['blockVersion', 60, 5, 6],
  ['blockVersion', 100, 6, 7],
  ['futureTimeLimit', 9, 7200, 360],
  ['templateTimestampWindow', 9, 60, 11],
  ['timestampWindow', 11, 60, 11],
  ['signatureCountChecked', 53, false, true],
  ['extraLimit', 93, undefined, 1024],
  ['blockListChecked', 59, false, true],
  ['timeLockByTip', 59, false, true],
  ['maxOutputs', 76, undefined, 90],
  ['maxOutputAmount', 79, undefined, 12_500_000_000_000n],
  ['fusionFee', 85, 0n, 10_000n],
  ['fusionFee', 111, 10_000n, 0n],
  ['txPow', 111, undefined, txPow(20n, 0n, 0, 60n)],
  ['txPow', 120, txPow(20n, 0n, 0, 60n), txPow(40n, 1n, 4, 320n)],
  ['minimumUnlock', 120, undefined, 15],
  ['baseReward', 149, undefined, 1_000_000n],
  ['feeEscapesPow', 149, undefined, 10_000n],
  ['poolUnlockWindow', 149, 40, 20],
];

describe.each([
  ['mainnet', mainnetChanges],
  ['simnet', mainnetChanges],
  ['devnet', devnetChanges],
] as const)('%s', (name, changes) => {
  const network = networkOf(name);

  test.each(changes)('%s changes after height %i', (field, last, before, after) => {
    expect(network.rulesAt(last)[field]).toEqual(before);
    expect(network.rulesAt(last + 1)[field]).toEqual(after);
  });

  test('the ring minimum applies to the smallest ring only in the last version', () => {
    const from = name === 'devnet' ? 430 : 4_300_000;
    expect(network.rulesAt(from - 1).mixin).toEqual({ min: 1, max: 1, default: 1, minAppliesTo: 'largest' });
    expect(network.rulesAt(from).mixin).toEqual({ min: 1, max: 7, default: 7, minAppliesTo: 'smallest' });
  });
});

test('ages are shared, frozen and begin at 0', () => {
  const { rulesAt } = networkOf('mainnet');
  expect(rulesAt(2_000_000)).toBe(rulesAt(2_000_001));
  expect(Object.isFrozen(rulesAt(0))).toBe(true);
  for (const height of [-1, NaN]) expect(() => rulesAt(height)).toThrow(RangeError);
});

test('blocks of chain A have the versions of devnet', () => {
  for (const line of chainA()) {
    expect(decodeBlock(Buffer.from(line.block, 'hex')).majorVersion).toBe(
      networkOf('devnet').rulesAt(line.height).blockVersion,
    );
  }
});

describe('identity', () => {
  test.each([...networkNames])('%s has the common genesis block', (name) => {
    const { genesis } = networkOf(name);
    const lines = readSections('mainnet/blocks.txt').get('genesis (major 1)');
    expect(toHex(genesis.block)).toBe(lines?.get('block blob (BlockTemplate serialization)'));
    expect(toHex(genesis.hash)).toBe(lines?.get('block id'));
    expect(blockHash(decodeBlock(genesis.block))).toEqual(genesis.hash);
    const fields = readSections('mainnet/primitives.txt').get('genesis block');
    expect(toHex(cnFastHash(genesis.block.subarray(39, -1)))).toBe(fields?.get('genesis coinbase tx hash'));
  });

  test.each<[NetworkName, string, number]>([
    ['mainnet', 'b50c4a6ccf52574165f991a4b6c143e9', 17855],
    ['simnet', Buffer.from('wrkz simnet 0001').toString('hex'), 27855],
    ['devnet', Buffer.from('wrkz devnet 0001').toString('hex'), 37855],
  ])('%s', (name, id, port) => {
    const network = networkOf(name);
    expect(network.name).toBe(name);
    expect(toHex(network.networkId)).toBe(id);
    expect(network.ports).toEqual({ p2p: port, rpc: port + 1, zmq: port + 2 });
    expect(network.seeds.length > 0).toBe(name === 'mainnet');
    expect(network.dnsSeeds.length > 0).toBe(name === 'mainnet');
    expect(network.checkProofOfWork).toBe(name !== 'simnet');
    expect(network.countsAsSynchronizedAlone).toBe(name !== 'mainnet');
  });

  test('the advisory heights of devnet are those of mainnet divided by 10,000', () => {
    expect(networkOf('devnet').upgradeHeights).toEqual([
      1, 4, 10, 30, 43, 54, 60, 67, 77, 83, 86, 100, 112, 120, 150, 180, 250, 280, 350, 380, 430, 450,
    ]);
    expect(networkOf('devnet').supportedHeight).toBe(450);
    expect(networkOf('mainnet').supportedHeight).toBe(4_500_000);
    expect(networkOf('mainnet').upgradeHeights).toHaveLength(22);
  });
});

test('retained blocks and reversible data exceed the reorganisation depth on every network', () => {
  const windows = networkNames.map((name) => {
    const { pruneDepth, rewindLimit, liteWindow } = networkOf(name);
    return [name, pruneDepth, rewindLimit, liteWindow];
  });
  expect(windows).toEqual([
    ['mainnet', 10_080, 4_320, 20_160],
    ['simnet', 10_080, 4_320, 20_160],
    ['devnet', 400, 400, 40],
  ]);
  for (const name of networkNames) {
    const { pruneDepth, rewindLimit } = networkOf(name);
    expect(rewindLimit).toBeGreaterThanOrEqual(REORGANISATION_DEPTH + 60);
    // Rewinds must stay within the stored blocks.
    expect(rewindLimit).toBeLessThanOrEqual(pruneDepth);
  }
});
