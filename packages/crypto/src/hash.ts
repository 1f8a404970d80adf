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
