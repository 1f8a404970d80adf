import { chacha8 } from '@noble/ciphers/chacha';

const BLOCK_BYTES = 64;

/**
 * ChaCha with 8 rounds in the layout of its author: a block counter of 64 bits, then a nonce of 64 bits. Up to 256 GiB the
 * library's layout is equal: a counter of 32 bits, then a nonce of 96 bits whose first four bytes are zero.
 */
export class ChaCha8 {
  readonly #nonce = Buffer.alloc(12);
  /** Bytes of the stream that are used up. */
  #position = 0;

  /** @param key 32 bytes @param nonce 8 bytes */
  constructor(
    private readonly key: Buffer,
    nonce: Buffer,
  ) {
    nonce.copy(this.#nonce, 4);
  }

  /** Encrypts or decrypts the next bytes of the stream. */
  apply(bytes: Buffer): Buffer {
    const used = this.#position % BLOCK_BYTES;
    const block = Math.floor(this.#position / BLOCK_BYTES);
    const input = used === 0 ? bytes : Buffer.concat([Buffer.alloc(used), bytes]);
    this.#position += bytes.length;
    return Buffer.from(chacha8(this.key, this.#nonce, input, undefined, block)).subarray(used);
  }
}
