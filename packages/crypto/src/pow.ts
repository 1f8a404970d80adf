import { requireBytes, requireUint64, split32 } from './arguments';
import { binding } from './binding';

/** The proof-of-work functions with their names in the reference, oldest first. core-types maps block versions to them. */
export type PowAlgorithm =
  'cn_slow_hash_v0' | 'cn_lite_slow_hash_v1' | 'cn_turtle_lite_slow_hash_v2' | 'cn_upx' | 'chukwa';

export interface PowJob {
  algorithm: PowAlgorithm;
  data: Uint8Array;
}

interface PowBinding {
  powHash(algorithm: number, data: Uint8Array, output: Buffer): Buffer;
  powHashMany(algorithms: Buffer, lengths: Buffer, data: Buffer): Promise<Buffer>;
  powLanes(algorithm: number): Promise<number>;
  checkHash(hash: Uint8Array, difficulty: bigint): boolean;
}

interface AlgorithmFacts {
  /** Number of the algorithm in the addon. */
  index: number;
  /** Shorter inputs have no hash: variant 1 reads bytes 35 to 42, Argon2 takes its salt from the first 16 bytes. */
  minimum: number;
}

const ALGORITHMS: Record<PowAlgorithm, AlgorithmFacts> = {
  cn_slow_hash_v0: { index: 0, minimum: 0 },
  cn_lite_slow_hash_v1: { index: 1, minimum: 43 },
  cn_turtle_lite_slow_hash_v2: { index: 2, minimum: 0 },
  cn_upx: { index: 3, minimum: 0 },
  chukwa: { index: 4, minimum: 16 },
};

/**
 * The addon's number of an algorithm. Checks that `data` is long enough for it.
 * @throws TypeError for an unknown name or a value that is not a byte array, RangeError if there are too few bytes
 */
export function requirePowInput(algorithm: PowAlgorithm, data: Uint8Array): number {
  const facts = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
  if (facts === undefined) throw new TypeError(`unknown proof of work ${String(algorithm)}`);
  requireBytes(data, 'data');
  if (data.length < facts.minimum) {
    throw new RangeError(`data must be at least ${facts.minimum} bytes for ${algorithm}, not ${data.length}`);
  }
  return facts.index;
}

/**
 * The proof-of-work hash of `data`, 32 bytes, computed synchronously on the calling thread: from 0.2 ms (cn_upx) to 30 ms
 * (cn_slow_hash_v0).
 * @throws TypeError for an unknown algorithm, RangeError when `data` is too short for it.
 */
export function powHash(algorithm: PowAlgorithm, data: Uint8Array): Buffer {
  return binding<PowBinding>().powHash(requirePowInput(algorithm, data), data, Buffer.allocUnsafe(32));
}

/** Like `powHash`, on a native thread. */
export async function powHashAsync(algorithm: PowAlgorithm, data: Uint8Array): Promise<Buffer> {
  const hashes = await powHashMany([{ algorithm, data }]);
  return hashes[0] as Buffer;
}

/**
 * The hashes of many inputs in their order, on all native threads, several interleaved on each. The inputs are copied before the
 * call returns.
 * @throws (as a rejection) like `powHash`; nothing is computed then
 */
export async function powHashMany(jobs: readonly PowJob[]): Promise<Buffer[]> {
  const algorithms = Buffer.alloc(jobs.length);
  const lengths = Buffer.alloc(4 * jobs.length);
  jobs.forEach(({ algorithm, data }, i) => {
    algorithms[i] = requirePowInput(algorithm, data);
    lengths.writeUInt32LE(data.length, 4 * i);
  });
  if (jobs.length === 0) return [];
  const data = Buffer.concat(jobs.map((job) => job.data));
  return split32(await binding<PowBinding>().powHashMany(algorithms, lengths, data));
}

/**
 * Number of interleaved hashes per thread, measured on this machine. The first call for an algorithm takes from some milliseconds
 * to half a second of a native thread.
 */
export async function powLanes(algorithm: PowAlgorithm): Promise<number> {
  return binding<PowBinding>().powLanes(requirePowInput(algorithm, Buffer.alloc(64)));
}

/**
 * Whether a hash meets a difficulty: hash x difficulty < 2^256, with the hash as a little-endian integer. Every hash
 * meets difficulty 0.
 * @throws TypeError or RangeError when the hash is not 32 bytes or the difficulty no unsigned 64-bit integer.
 */
export function checkHash(hash: Uint8Array, difficulty: bigint): boolean {
  requireBytes(hash, 'hash', 32);
  requireUint64(difficulty, 'difficulty');
  return binding<PowBinding>().checkHash(hash, difficulty);
}
