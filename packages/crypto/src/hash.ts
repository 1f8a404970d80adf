import { requireBytes } from './arguments';
import { binding } from './binding';

interface HashBinding {
  cnFastHash(data: Uint8Array, output: Buffer): Buffer;
}

/** Keccak-256 with the original padding (not SHA3-256): the hash function of all ids of the chain. 32 bytes. */
export function cnFastHash(data: Uint8Array): Buffer {
  requireBytes(data, 'data');
  return binding<HashBinding>().cnFastHash(data, Buffer.allocUnsafe(32));
}

/** Domain separator: distinguishes this use of a derivation from all others. */
const TAIL = 0x8d;

/**
 * Encrypts or decrypts (the same operation) an 8-byte payment id with the transaction's derivation: XOR with the first bytes of
 * `keccak(derivation, 0x8d)`.
 */
export function encryptPaymentId(paymentId: Uint8Array, derivation: Uint8Array): Buffer {
  requireBytes(paymentId, 'payment id', 8);
  requireBytes(derivation, 'derivation', 32);
  const keystream = cnFastHash(Buffer.concat([derivation, Buffer.of(TAIL)]));
  return Buffer.from(paymentId.map((byte, index) => byte ^ (keystream[index] ?? 0)));
}
