import { ed25519 } from '@noble/curves/ed25519.js';

export const Point = ed25519.Point;
export type Point = InstanceType<typeof Point>;
const Fp = Point.Fp;

/** The order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = Fp.div(Fp.neg(121665n), 121666n);
/** Montgomery's A of the birational curve. */
const A = 486662n;

export function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

export function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

export const modL = (value: bigint): bigint => ((value % L) + L) % L;

/** The point of an encoding, or null: y below p, on the curve, and no sign for x = 0. */
export function decode(bytes: Uint8Array): Point | null {
  const encoded = toNumber(bytes);
  const sign = encoded >> 255n;
  const y = encoded & (2n ** 255n - 1n);
  if (y >= Fp.ORDER) return null;
  const x = xOf(y, sign);
  if (x === null || (x === 0n && sign === 1n)) return null;
  return Point.fromAffine({ x, y });
}

export const encode = (point: Point): Buffer => Buffer.from(point.toBytes());

/** The x of this parity for an affine y: x^2 = (y^2 - 1) / (d y^2 + 1). Null if no point of the curve has this y. */
function xOf(y: bigint, parity: bigint): bigint | null {
  const yy = Fp.sqr(y);
  const xx = Fp.div(Fp.sub(yy, 1n), Fp.add(Fp.mul(D, yy), 1n));
  if (!isSquare(xx)) return null;
  const x = Fp.sqrt(xx);
  return (x & 1n) === parity ? x : Fp.neg(x);
}

function isSquare(value: bigint): boolean {
  return value === 0n || Fp.pow(value, (Fp.ORDER - 1n) / 2n) === 1n;
}

/** `scalar * point` for any non-negative scalar and any point, also of small order. */
export function times(point: Point, scalar: bigint): Point {
  let sum = Point.ZERO;
  for (const bit of scalar.toString(2)) {
    sum = sum.double();
    if (bit === '1') sum = sum.add(point);
  }
  return sum;
}

/**
 * The map from 32 bytes to a point, by its definition: the Montgomery u-coordinate is -2 A u^2 / w, with
 * w = 2 u^2 + 1, when w / (w^2 - 2 A^2 u^2) is a square, else -A / w; the Edwards x is even in the first case and odd
 * in the second.
 */
export function mapToPoint(bytes: Uint8Array): Point {
  const uu = Fp.sqr(toNumber(bytes) % Fp.ORDER);
  const w = Fp.add(Fp.mul(2n, uu), 1n);
  const denominator = Fp.sub(Fp.sqr(w), Fp.mul(2n * A * A, uu));
  const square = isSquare(Fp.div(w, denominator));
  const montgomery = Fp.div(Fp.mul(Fp.neg(A), square ? Fp.mul(2n, uu) : 1n), w);
  const y = Fp.div(Fp.sub(montgomery, 1n), Fp.add(montgomery, 1n));
  const x = xOf(y, square ? 0n : 1n);
  if (x === null) throw new Error('the mapped point is not on the curve');
  return Point.fromAffine({ x, y });
}
