import { cnFastHash } from './hash';
import { decode, encode, L, mapToPoint, modL, Point, times, toBytes, toNumber } from './field';

const invalidSecret = (): never => {
  throw new RangeError('invalid secret key');
};

export const checkKey = (key: Uint8Array): boolean => decode(key) !== null;
export const checkScalar = (scalar: Uint8Array): boolean => toNumber(scalar) < L;
export const scalarReduce32 = (scalar: Uint8Array): Buffer => toBytes(modL(toNumber(scalar)));
export const hashToScalar = (data: Uint8Array): Buffer => scalarReduce32(cnFastHash(data));
export const hashToPointRaw = (data: Uint8Array): Buffer => encode(mapToPoint(data));
export const hashedPoint = (data: Uint8Array): Point => times(mapToPoint(cnFastHash(data)), 8n);
export const hashToPoint = (data: Uint8Array): Buffer => encode(hashedPoint(data));

export function secretKeyToPublicKey(secret: Uint8Array): Buffer {
  return checkScalar(secret) ? encode(times(Point.BASE, toNumber(secret))) : invalidSecret();
}

export function isPrimeOrder(point: Uint8Array): boolean {
  const value = decode(point);
  return value !== null && times(value, L).equals(Point.ZERO);
}

function decoded(bytes: Uint8Array): Point {
  const point = decode(bytes);
  if (point === null) throw new RangeError('invalid point');
  return point;
}

/**
 * The multiplication of the reference: signed digits of radix 16, of which the last one is used only up to 8.
 * So the last digit is missing for scalars from 2^255 on.
 */
export function scalarMultKey(point: Uint8Array, scalar: Uint8Array): Buffer {
  const value = toNumber(scalar);
  const lower = value % 2n ** 252n;
  const greatestWithoutCarry = BigInt(`0x${'7'.repeat(63)}`);
  const last = (value >> 252n) + (lower > greatestWithoutCarry ? 1n : 0n);
  const effective = last > 8n ? value - (last << 252n) : value;
  const base = decoded(point);
  return encode(effective < 0n ? times(base.negate(), -effective) : times(base, effective));
}

export function generateKeyDerivation(key: Uint8Array, secret: Uint8Array): Buffer | null {
  const point = decode(key);
  if (!checkScalar(secret)) return invalidSecret();
  return point && encode(times(point, 8n * toNumber(secret)));
}

function varint(value: bigint): Buffer {
  const groups: number[] = [];
  for (; value >= 128n; value >>= 7n) groups.push(Number(value & 127n) | 128);
  return Buffer.from([...groups, Number(value)]);
}

export function derivationToScalar(derivation: Uint8Array, outputIndex: number | bigint): Buffer {
  return hashToScalar(Buffer.concat([derivation, varint(BigInt(outputIndex))]));
}

const outputPoint = (derivation: Uint8Array, outputIndex: number | bigint): Point =>
  times(Point.BASE, toNumber(derivationToScalar(derivation, outputIndex)));

export function derivePublicKey(derivation: Uint8Array, outputIndex: number | bigint, base: Uint8Array): Buffer | null {
  const point = decode(base);
  return point && encode(point.add(outputPoint(derivation, outputIndex)));
}

export function underivePublicKey(
  derivation: Uint8Array,
  outputIndex: number | bigint,
  outputKey: Uint8Array,
): Buffer | null {
  const point = decode(outputKey);
  return point && encode(point.subtract(outputPoint(derivation, outputIndex)));
}

export function deriveSecretKey(derivation: Uint8Array, outputIndex: number | bigint, baseSecret: Uint8Array): Buffer {
  return toBytes(modL(toNumber(derivationToScalar(derivation, outputIndex)) + toNumber(baseSecret)));
}

export function generateKeyImage(key: Uint8Array, secret: Uint8Array): Buffer {
  return encode(times(hashedPoint(key), toNumber(secret)));
}

export const viewKeyFromSpendKey = (spendSecret: Uint8Array): Buffer => hashToScalar(spendSecret);

export function deterministicSubWalletKeys(
  primarySpendSecret: Uint8Array,
  index: number,
): { secretKey: Buffer; publicKey: Buffer } {
  const suffix = Buffer.alloc(8);
  suffix.writeBigUInt64LE(BigInt(index));
  let state: Uint8Array = primarySpendSecret;
  for (let round = 0; round < index; round++) state = cnFastHash(Buffer.concat([state, suffix]));
  const secretKey = scalarReduce32(state);
  return { secretKey, publicKey: secretKeyToPublicKey(secretKey) };
}

export function encryptPaymentId(paymentId: Uint8Array, derivation: Uint8Array): Buffer {
  const keystream = cnFastHash(Buffer.concat([derivation, Buffer.from([0x8d])])).subarray(0, 8);
  const id = Buffer.from(paymentId);
  const mixed = Buffer.alloc(8);
  mixed.writeBigUInt64LE(id.readBigUInt64LE() ^ keystream.readBigUInt64LE());
  return mixed;
}
