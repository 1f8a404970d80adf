import { requireBytes, requireInteger, requireSecret, requireUint64 } from './arguments';
import { binding } from './binding';
import { cnFastHash } from './hash';

/** A secret scalar (32 bytes, below the group order) and its public point (32 bytes). */
export interface KeyPair {
  secretKey: Buffer;
  publicKey: Buffer;
}

/** Index of an output in its transaction, from 0; the rule is defined for 64 bits. */
export type OutputIndex = number | bigint;

interface KeysBinding {
  randomKeyPair(secretOutput: Buffer, publicOutput: Buffer): void;
  publicFromSecret(secret: Uint8Array, output: Buffer): boolean;
  checkKey(key: Uint8Array): boolean;
  checkScalar(scalar: Uint8Array): boolean;
  isPrimeOrder(point: Uint8Array): boolean;
  scalarReduce32(scalar: Uint8Array, output: Buffer): void;
  multiplyKey(point: Uint8Array, scalar: Uint8Array, output: Buffer): boolean;
  keyDerivation(key: Uint8Array, secret: Uint8Array, output: Buffer): boolean;
  derivationToScalar(derivation: Uint8Array, outputIndex: OutputIndex, output: Buffer): void;
  derivePublicKey(derivation: Uint8Array, outputIndex: OutputIndex, base: Uint8Array, output: Buffer): boolean;
  underivePublicKey(derivation: Uint8Array, outputIndex: OutputIndex, key: Uint8Array, output: Buffer): boolean;
  deriveSecretKey(derivation: Uint8Array, outputIndex: OutputIndex, base: Uint8Array, output: Buffer): void;
  keyImage(key: Uint8Array, secret: Uint8Array, output: Buffer): void;
  hashToScalar(data: Uint8Array, output: Buffer): void;
  hashToPoint(data: Uint8Array, output: Buffer): void;
  pointFromField(data: Uint8Array, output: Buffer): void;
}

const native = (): KeysBinding => binding<KeysBinding>();

function requireDerivation(derivation: Uint8Array, outputIndex: OutputIndex): void {
  requireBytes(derivation, 'derivation', 32);
  if (typeof outputIndex === 'bigint') requireUint64(outputIndex, 'output index');
  else requireInteger(outputIndex, 'output index', 0, Number.MAX_SAFE_INTEGER);
}

/**
 * A new key pair from the random source of the operating system.
 * @throws Error if the random source fails
 */
export function generateKeyPair(): KeyPair {
  const pair = { secretKey: Buffer.alloc(32), publicKey: Buffer.alloc(32) };
  native().randomKeyPair(pair.secretKey, pair.publicKey);
  return pair;
}

/** The view secret that wallets derive from the spend secret: its Keccak hash, reduced modulo the group order. */
export function viewKeyFromSpendKey(spendSecret: Uint8Array): Buffer {
  requireBytes(spendSecret, 'spend secret key', 32);
  return scalarReduce32(cnFastHash(spendSecret));
}

/**
 * The public key `secret * G`.
 * @throws RangeError 'invalid secret key' if the secret is not below the group order. Zero is accepted, like in the programs of
 * the network; its public key is the identity.
 */
export function secretKeyToPublicKey(secret: Uint8Array): Buffer {
  requireBytes(secret, 'secret key', 32);
  const output = Buffer.alloc(32);
  if (!native().publicFromSecret(secret, output)) throw new RangeError('invalid secret key');
  return output;
}

/** Whether the bytes are the canonical encoding of a point of the curve. Does not check its subgroup. */
export function checkKey(key: Uint8Array): boolean {
  requireBytes(key, 'public key', 32);
  return native().checkKey(key);
}

/** Whether a little-endian number is below the group order. */
export function checkScalar(scalar: Uint8Array): boolean {
  requireBytes(scalar, 'scalar', 32);
  return native().checkScalar(scalar);
}

/** Whether the bytes encode a point P with l * P = identity, as required for key images. */
export function isPrimeOrder(point: Uint8Array): boolean {
  requireBytes(point, 'point', 32);
  return native().isPrimeOrder(point);
}

/** A little-endian number modulo the group order. */
export function scalarReduce32(scalar: Uint8Array): Buffer {
  requireBytes(scalar, 'scalar', 32);
  const output = Buffer.alloc(32);
  native().scalarReduce32(scalar, output);
  return output;
}

/**
 * `scalar * point`, without the cofactor, for any 32-byte scalar; multiplying a key image by the group order gives
 * the identity (`0100...00`) if and only if it is valid.
 * @throws RangeError if the point does not decode
 */
export function scalarMultKey(point: Uint8Array, scalar: Uint8Array): Buffer {
  requireBytes(point, 'point', 32);
  requireBytes(scalar, 'scalar', 32);
  const output = Buffer.alloc(32);
  if (!native().multiplyKey(point, scalar, output)) throw new RangeError('invalid point');
  return output;
}

/**
 * The shared secret of a transaction, `8 * secret * key`: sender from (view public, transaction secret), receiver
 * from (transaction public, view secret). Null if the key does not decode.
 * @throws RangeError if the secret is not below the group order
 */
export function generateKeyDerivation(key: Uint8Array, secret: Uint8Array): Buffer | null {
  requireBytes(key, 'public key', 32);
  requireSecret(secret);
  const output = Buffer.alloc(32);
  return native().keyDerivation(key, secret, output) ? output : null;
}

/** `Hs(derivation, varint(outputIndex))`; the index counts all outputs of the transaction from 0. */
export function derivationToScalar(derivation: Uint8Array, outputIndex: OutputIndex): Buffer {
  requireDerivation(derivation, outputIndex);
  const output = Buffer.alloc(32);
  native().derivationToScalar(derivation, outputIndex, output);
  return output;
}

/** The one-time key of an output to spend key `base`. Null when `base` does not decode. */
export function derivePublicKey(derivation: Uint8Array, outputIndex: OutputIndex, base: Uint8Array): Buffer | null {
  requireDerivation(derivation, outputIndex);
  requireBytes(base, 'base', 32);
  const output = Buffer.alloc(32);
  return native().derivePublicKey(derivation, outputIndex, base, output) ? output : null;
}

/**
 * The one-time secret of an output from the spend secret `baseSecret`.
 * @throws RangeError when the secret is not below the group order.
 */
export function deriveSecretKey(derivation: Uint8Array, outputIndex: OutputIndex, baseSecret: Uint8Array): Buffer {
  requireDerivation(derivation, outputIndex);
  requireSecret(baseSecret, 'base secret key');
  const output = Buffer.alloc(32);
  native().deriveSecretKey(derivation, outputIndex, baseSecret, output);
  return output;
}

/** The spend key for which the one-time key of an output was derived. Null if `outputKey` does not decode. */
export function underivePublicKey(
  derivation: Uint8Array,
  outputIndex: OutputIndex,
  outputKey: Uint8Array,
): Buffer | null {
  requireDerivation(derivation, outputIndex);
  requireBytes(outputKey, 'output key', 32);
  const output = Buffer.alloc(32);
  return native().underivePublicKey(derivation, outputIndex, outputKey, output) ? output : null;
}

/**
 * The key image `secret * Hp(key)` of a one-time key pair, which marks the output as spent.
 * @throws RangeError when the secret is not below the group order.
 */
export function generateKeyImage(key: Uint8Array, secret: Uint8Array): Buffer {
  requireBytes(key, 'public key', 32);
  requireSecret(secret);
  const output = Buffer.alloc(32);
  native().keyImage(key, secret, output);
  return output;
}

/** Keccak of the data modulo the group order. */
export function hashToScalar(data: Uint8Array): Buffer {
  requireBytes(data, 'data');
  const output = Buffer.alloc(32);
  native().hashToScalar(data, output);
  return output;
}

/** `8 * map(keccak(data))`: a point with unknown discrete logarithm. */
export function hashToPoint(data: Uint8Array): Buffer {
  requireBytes(data, 'data');
  const output = Buffer.alloc(32);
  native().hashToPoint(data, output);
  return output;
}

/** `map(data)`: the 32 bytes are used as a field element, neither hashed nor multiplied by 8. */
export function hashToPointRaw(data: Uint8Array): Buffer {
  requireBytes(data, 'data', 32);
  const output = Buffer.alloc(32);
  native().pointFromField(data, output);
  return output;
}
