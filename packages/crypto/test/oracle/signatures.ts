import { randomBytes } from 'node:crypto';
import { decode, encode, L, modL, Point, times, toBytes, toNumber } from './field';
import { checkScalar, hashedPoint, hashToScalar, isPrimeOrder } from './keys';

const randomScalar = (): bigint => modL(toNumber(randomBytes(64)));

/** The 32-byte halves c and r of signature `index`, or null when one is not reduced. */
function halves(signatures: Uint8Array, index: number): { c: bigint; r: bigint } | null {
  const [c, r] = [0, 32].map((at) => signatures.subarray(64 * index + at, 64 * index + at + 32));
  if (c === undefined || r === undefined || !checkScalar(c) || !checkScalar(r)) return null;
  return { c: toNumber(c), r: toNumber(r) };
}

/** a P + b Q */
const combine = (a: bigint, P: Point, b: bigint, Q: Point): Point => times(P, a).add(times(Q, b));

/** a = c P + r G and b = r Hp(P) + c I, encoded and concatenated; null if P is not a valid encoding. */
function commitments(key: Uint8Array, c: bigint, r: bigint, image: Point): Buffer | null {
  const point = decode(key);
  if (point === null) return null;
  return Buffer.concat([encode(combine(c, point, r, Point.BASE)), encode(combine(r, hashedPoint(key), c, image))]);
}

export function generateRingSignatures(
  prefixHash: Uint8Array,
  keyImage: Uint8Array,
  publicKeys: readonly Uint8Array[],
  secret: Uint8Array,
  realIndex: number,
): Buffer {
  const image = decode(keyImage);
  if (image === null) throw new RangeError('invalid key image');
  const nonce = randomScalar();
  const scalars = publicKeys.map(() => ({ c: randomScalar(), r: randomScalar() }));
  const all = publicKeys.map((key, index) => {
    const { c, r } = scalars[index] ?? { c: 0n, r: 0n };
    if (index !== realIndex) return commitments(key, c, r, image) ?? Buffer.alloc(0);
    return Buffer.concat([encode(times(Point.BASE, nonce)), encode(times(hashedPoint(key), nonce))]);
  });
  const others = scalars.reduce((sum, { c }, index) => (index === realIndex ? sum : sum + c), 0n);
  const c = modL(toNumber(hashToScalar(Buffer.concat([prefixHash, ...all]))) - others);
  scalars[realIndex] = { c, r: modL(nonce - c * toNumber(secret)) };
  return Buffer.concat(scalars.flatMap((own) => [toBytes(own.c), toBytes(own.r)]));
}

export function checkRingSignature(
  prefixHash: Uint8Array,
  keyImage: Uint8Array,
  publicKeys: readonly Uint8Array[],
  signatures: Uint8Array,
): boolean {
  const image = decode(keyImage);
  if (image === null || !isPrimeOrder(keyImage)) return false;
  const parts: Uint8Array[] = [prefixHash];
  let sum = 0n;
  for (const [index, key] of publicKeys.entries()) {
    const scalars = halves(signatures, index);
    const own = scalars && commitments(key, scalars.c, scalars.r, image);
    if (scalars === null || own === null) return false;
    parts.push(own);
    sum += scalars.c;
  }
  return toNumber(hashToScalar(Buffer.concat(parts))) === sum % L;
}
