import { requireBytes } from './arguments';
import { binding } from './binding';

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
