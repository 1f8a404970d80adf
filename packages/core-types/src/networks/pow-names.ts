import type { PowAlgorithm } from '@wrkz/crypto';

/**
 * The names of the proofs of work in mining programs
 * (docs/protocol/stratum.md#algorithms).
 */
export const MINING_ALGORITHMS = {
  cn_slow_hash_v0: 'cn/0',
  cn_lite_slow_hash_v1: 'cn-lite/1',
  cn_turtle_lite_slow_hash_v2: 'cn-pico/trtl',
  chukwa: 'argon2/chukwa',
  cn_upx: 'cn/upx2',
} as const satisfies Record<PowAlgorithm, string>;

/** The proof of work of each block version, the same on every network. */
const BY_VERSION: readonly PowAlgorithm[] = [
  'cn_slow_hash_v0',
  'cn_slow_hash_v0',
  'cn_slow_hash_v0',
  'cn_lite_slow_hash_v1',
  'cn_turtle_lite_slow_hash_v2',
  'chukwa',
  'cn_upx',
];

/** The proof of work of a block version; undefined for an unknown version. */
export function powAlgorithmOf(majorVersion: number): PowAlgorithm | undefined {
  return BY_VERSION[majorVersion - 1];
}

/** The proof of work by its name in mining programs, or undefined. */
export function miningAlgorithm(name: string): PowAlgorithm | undefined {
  return (Object.keys(MINING_ALGORITHMS) as PowAlgorithm[]).find((one) => MINING_ALGORITHMS[one] === name);
}
