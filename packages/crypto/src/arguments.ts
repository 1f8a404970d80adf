import { binding } from './binding';

/**
 * Checks that `value` is a Uint8Array (such as a Buffer), with exactly `size` bytes if given.
 * @throws TypeError for any other value, RangeError for another length; `name` is in the message.
 */
export function requireBytes(value: Uint8Array, name: string, size?: number): void {
  if (!(value instanceof Uint8Array)) throw new TypeError(`${name} must be a Uint8Array`);
  if (size !== undefined && value.length !== size) {
    throw new RangeError(`${name} must be ${size} bytes, not ${value.length}`);
  }
}

/**
 * Checks that `value` is an integer within `min` and `max`.
 * @throws TypeError if it is not a number, RangeError if it is out of range or not an integer.
 */
export function requireInteger(value: number, name: string, min: number, max: number): void {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
}

/** The largest unsigned 64-bit integer. */
export const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/**
 * Checks that `value` is a bigint within 0 and 2^64 - 1.
 * @throws TypeError if it is not a bigint, RangeError if it does not fit.
 */
export function requireUint64(value: bigint, name: string): void {
  if (typeof value !== 'bigint') throw new TypeError(`${name} must be a bigint`);
  if (value < 0n || value > MAX_UINT64) throw new RangeError(`${name} must be an unsigned 64-bit integer`);
}

/**
 * The 32-byte values of `list` concatenated, as the addon expects lists.
 * @throws TypeError or RangeError with the name of the invalid element
 */
export function concat32(list: readonly Uint8Array[], name: string): Buffer {
  const isArray: boolean = Array.isArray(list);
  if (!isArray) throw new TypeError(`${name} must be an array`);
  const joined = Buffer.allocUnsafe(32 * list.length);
  list.forEach((item, index) => {
    requireBytes(item, `${name}[${index}]`, 32);
    joined.set(item, 32 * index);
  });
  return joined;
}

/** The inverse of `concat32`: slices of 32 bytes that share the memory of `joined`. */
export function split32(joined: Buffer): Buffer[] {
  return Array.from({ length: joined.length / 32 }, (_, index) => joined.subarray(32 * index, 32 * index + 32));
}

interface SecretBinding {
  checkScalar(scalar: Uint8Array): boolean;
}

/**
 * Checks that `secret` is a scalar of 32 bytes below the group order.
 * @throws TypeError or RangeError; the message contains `name` but not the secret
 */
export function requireSecret(secret: Uint8Array, name = 'secret key'): void {
  requireBytes(secret, name, 32);
  if (!binding<SecretBinding>().checkScalar(secret)) throw new RangeError(`invalid ${name}: not below the group order`);
}
