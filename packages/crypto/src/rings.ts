import { concat32, requireBytes, requireInteger, requireSecret } from './arguments';
import { binding } from './binding';

interface RingsBinding {
  signRing(
    prefixHash: Uint8Array,
    keyImage: Uint8Array,
    keys: Buffer,
    secret: Uint8Array,
    realIndex: number,
    output: Buffer,
  ): string;
  checkRing(prefixHash: Uint8Array, keyImage: Uint8Array, keys: Buffer, signatures: Uint8Array): boolean;
  checkRings(
    prefixHashes: Buffer,
    keyImages: Buffer,
    sizes: Uint32Array,
    keys: Buffer,
    signatures: Buffer,
  ): Promise<Buffer>;
}

/** The arguments of one `checkRingSignature`. */
export interface RingCheck {
  prefixHash: Uint8Array;
  keyImage: Uint8Array;
  publicKeys: readonly Uint8Array[];
  /** 64 bytes per ring member, concatenated. */
  signatures: Uint8Array;
}

/**
 * Signs a transaction prefix hash for one input: 64 bytes per ring member, concatenated in ring order.
 * `publicKeys[realIndex]` is the key being spent, `secret` its one-time secret, `keyImage` its key image.
 * @throws RangeError if the ring is empty, the secret is not below the group order, or the key image or a member does not decode
 */
export function generateRingSignatures(
  prefixHash: Uint8Array,
  keyImage: Uint8Array,
  publicKeys: readonly Uint8Array[],
  secret: Uint8Array,
  realIndex: number,
): Buffer {
  requireBytes(prefixHash, 'prefix hash', 32);
  requireBytes(keyImage, 'key image', 32);
  const keys = concat32(publicKeys, 'public keys');
  if (keys.length === 0) throw new RangeError('a ring needs a member');
  requireInteger(realIndex, 'real index', 0, publicKeys.length - 1);
  requireSecret(secret);
  const output = Buffer.alloc(64 * publicKeys.length);
  const wrong = binding<RingsBinding>().signRing(prefixHash, keyImage, keys, secret, realIndex, output);
  if (wrong !== '') throw new RangeError(wrong);
  return output;
}

/**
 * Whether the ring signatures of one input are valid: the key image has prime order, every scalar is reduced, every member is a
 * point, and the sum of the challenges matches. An empty ring is invalid.
 * @throws RangeError unless there are exactly 64 bytes of signatures per member: callers compare the counts first
 */
export function checkRingSignature(
  prefixHash: Uint8Array,
  keyImage: Uint8Array,
  publicKeys: readonly Uint8Array[],
  signatures: Uint8Array,
): boolean {
  requireBytes(prefixHash, 'prefix hash', 32);
  requireBytes(keyImage, 'key image', 32);
  const keys = concat32(publicKeys, 'public keys');
  requireBytes(signatures, 'signatures', 64 * publicKeys.length);
  return binding<RingsBinding>().checkRing(prefixHash, keyImage, keys, signatures);
}

/** Result of the check of a ring. */
export interface RingResult {
  /** Result of `checkRingSignature`. */
  readonly valid: boolean;
  /** Whether the key image is in the subgroup of prime order (`isPrimeOrder`), which the check computes anyway. */
  readonly primeOrder: boolean;
}

const VALID = 1;
const PRIME_ORDER = 2;

/**
 * Checks the rings of many inputs on the native threads. The results are in the order of the jobs.
 * @throws (as a rejection) like `checkRingSignature`, with the index of the job
 */
export async function checkRingsAsync(jobs: readonly RingCheck[]): Promise<RingResult[]> {
  jobs.forEach((job, index) => {
    requireBytes(job.signatures, `signatures of ring ${index}`, 64 * job.publicKeys.length);
  });
  const flags = await binding<RingsBinding>().checkRings(
    concat32(
      jobs.map((job) => job.prefixHash),
      'prefix hashes',
    ),
    concat32(
      jobs.map((job) => job.keyImage),
      'key images',
    ),
    Uint32Array.from(jobs, (job) => job.publicKeys.length),
    concat32(
      jobs.flatMap((job) => job.publicKeys),
      'public keys',
    ),
    Buffer.concat(jobs.map((job) => job.signatures)),
  );
  return Array.from(flags, (flag) => ({ valid: (flag & VALID) !== 0, primeOrder: (flag & PRIME_ORDER) !== 0 }));
}

/** `checkRingSignature` for many inputs: `checkRingsAsync` without the results for the key images. */
export async function checkRingSignaturesAsync(jobs: readonly RingCheck[]): Promise<boolean[]> {
  return (await checkRingsAsync(jobs)).map(({ valid }) => valid);
}
