const BLOCK = 64;
/** "expand 32-byte k" as four little-endian words. */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
const DOUBLE_ROUNDS = 4;

/**
 * ChaCha with 8 rounds and the layout of its author: a block counter of 64 bits, then an initialisation vector of 64. No
 * library has it. The same operation opens and seals; calls go on where the last one ended.
 */
export class ChaCha8 {
  private readonly state = new Uint32Array(16);
  private readonly stream = new Uint32Array(16);
  private readonly streamBytes = Buffer.from(this.stream.buffer);
  private used = BLOCK;

  /** @param key 32 bytes @param iv 8 bytes */
  constructor(key: Buffer, iv: Buffer) {
    this.state.set(CONSTANTS);
    for (let i = 0; i < 8; i++) this.state[4 + i] = key.readUInt32LE(4 * i);
    this.state[14] = iv.readUInt32LE(0);
    this.state[15] = iv.readUInt32LE(4);
  }

  /** Changes the bytes where they stand, and gives them back. */
  apply(bytes: Buffer): Buffer {
    const { streamBytes } = this;
    for (let i = 0; i < bytes.length; i++) {
      if (this.used === BLOCK) this.nextBlock();
      bytes[i] = (bytes[i] as number) ^ (streamBytes[this.used++] as number);
    }
    return bytes;
  }

  private nextBlock(): void {
    const { state, stream } = this;
    stream.set(state);
    for (let round = 0; round < DOUBLE_ROUNDS; round++) {
      quarter(stream, 0, 4, 8, 12);
      quarter(stream, 1, 5, 9, 13);
      quarter(stream, 2, 6, 10, 14);
      quarter(stream, 3, 7, 11, 15);
      quarter(stream, 0, 5, 10, 15);
      quarter(stream, 1, 6, 11, 12);
      quarter(stream, 2, 7, 8, 13);
      quarter(stream, 3, 4, 9, 14);
    }
    for (let i = 0; i < 16; i++) stream[i] = (stream[i] as number) + (state[i] as number);
    this.used = 0;
    state[12] = (state[12] as number) + 1;
    if (state[12] === 0) state[13] = (state[13] as number) + 1;
  }
}

function quarter(words: Uint32Array, a: number, b: number, c: number, d: number): void {
  addAndTurn(words, a, b, d, 16);
  addAndTurn(words, c, d, b, 12);
  addAndTurn(words, a, b, d, 8);
  addAndTurn(words, c, d, b, 7);
}

/** Adds the second word to the first, and turns the third, mixed with the sum, by some bits to the left. */
function addAndTurn(words: Uint32Array, to: number, from: number, turned: number, bits: number): void {
  const sum = ((words[to] as number) + (words[from] as number)) | 0;
  words[to] = sum;
  const mixed = (words[turned] as number) ^ sum;
  words[turned] = (mixed << bits) | (mixed >>> (32 - bits));
}
