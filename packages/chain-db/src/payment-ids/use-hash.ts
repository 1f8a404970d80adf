import { createHash } from 'node:crypto';

/**
 * What the look-ups have for one use of a payment id, 32 bytes. Each use has a hash of its own, so that an id that a million
 * transactions carry is a million entries like any others, and not one long list under one fingerprint.
 *
 * Files hold entries that follow from it, so it never changes.
 */
export function useHash(paymentId: Uint8Array, use: number): Buffer {
  const number = Buffer.allocUnsafe(4);
  number.writeUInt32LE(use);
  return createHash('sha256').update(paymentId).update(number).digest();
}
