import { concat32, requireBytes, requireInteger } from './arguments';
import { binding } from './binding';
import { checkScalar } from './keys';

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
}

/**
 * Signs a transaction prefix hash for one input: 64 bytes a ring member, one after another in ring order.
 * `publicKeys[realIndex]` is the key being spent, `secret` its one-time secret, `keyImage` its key image.
 * @throws RangeError when the ring is empty, the secret is not below the group order, or the key image or a member
 * does not decode.
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
  requireBytes(secret, 'secret key', 32);
  requireInteger(realIndex, 'real index', 0, publicKeys.length - 1);
  if (!checkScalar(secret)) throw new RangeError('invalid secret key: not below the group order');
  const output = Buffer.alloc(64 * publicKeys.length);
  const wrong = binding<RingsBinding>().signRing(prefixHash, keyImage, keys, secret, realIndex, output);
  if (wrong !== '') throw new RangeError(wrong);
  return output;
}

/**
 * Whether the ring signatures of one input hold: the key image of prime order, every scalar reduced, every member a
 * point, and the challenges' sum right. An empty ring never holds.
 * @throws RangeError when there are not exactly 64 bytes of signatures a member: callers compare the counts first.
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
