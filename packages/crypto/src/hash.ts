import { requireBytes } from './arguments';
import { binding } from './binding';

interface HashBinding {
  cnFastHash(data: Uint8Array, output: Buffer): Buffer;
  keccak1600(data: Uint8Array, output: Buffer): Buffer;
}

/** Keccak-256 with the original padding (not SHA3-256): the hash function of all ids of the chain. 32 bytes. */
export function cnFastHash(data: Uint8Array): Buffer {
  requireBytes(data, 'data');
  return binding<HashBinding>().cnFastHash(data, Buffer.allocUnsafe(32));
}

/** The whole Keccak-f[1600] state after absorbing `data` at rate 136: 200 bytes. */
export function keccak1600(data: Uint8Array): Buffer {
  requireBytes(data, 'data');
  return binding<HashBinding>().keccak1600(data, Buffer.allocUnsafe(200));
}
