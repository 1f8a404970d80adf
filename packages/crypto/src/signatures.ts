import { requireBytes } from './arguments';
import { binding } from './binding';
import { requireSecret } from './secret';

interface SignaturesBinding {
  sign(hash: Uint8Array, key: Uint8Array, secret: Uint8Array, output: Buffer): void;
  checkSignature(hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean;
}

/**
 * Signs a 32-byte hash: 64 bytes, the challenge and the response. `key` must be the public key of `secret`.
 * @throws RangeError when the secret is not below the group order.
 */
export function generateSignature(hash: Uint8Array, key: Uint8Array, secret: Uint8Array): Buffer {
  requireBytes(hash, 'hash', 32);
  requireBytes(key, 'public key', 32);
  requireSecret(secret);
  const output = Buffer.alloc(64);
  binding<SignaturesBinding>().sign(hash, key, secret, output);
  return output;
}

/** Whether a 64-byte signature of the hash by the key is valid. False for a key or a scalar that is not canonical. */
export function checkSignature(hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  requireBytes(hash, 'hash', 32);
  requireBytes(key, 'public key', 32);
  requireBytes(signature, 'signature', 64);
  return binding<SignaturesBinding>().checkSignature(hash, key, signature);
}
