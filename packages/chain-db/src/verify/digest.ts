import { createHash } from 'node:crypto';

/**
 * The state digest: SHA-256 over the rows of the chain's state in chain order, so that two databases have the same chain
 * if and only if their digests are equal. It does not cover page layout, internal ids and alternative blocks.
 */
export class StateDigest {
  private readonly hash = createHash('sha256');
  private pending: Buffer[] = [];

  constructor(network: string) {
    this.add(Buffer.from(`chain state 2 ${network}`, 'utf8'));
  }

  /**
   * Numbers as 8 bytes little-endian, bytes with their length before them, so that different records have different encodings.
   */
  add(...parts: readonly (Uint8Array | number | bigint)[]): void {
    for (const part of parts) {
      const value = part instanceof Uint8Array ? BigInt(part.length) : BigInt(part);
      const word = Buffer.allocUnsafe(8);
      word.writeBigUInt64LE(BigInt.asUintN(64, value));
      this.pending.push(word);
      if (part instanceof Uint8Array) this.pending.push(Buffer.from(part.buffer, part.byteOffset, part.length));
    }
    if (this.pending.length > 1000) this.flush();
  }

  /** 64 hex characters. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private flush(): void {
    this.hash.update(Buffer.concat(this.pending));
    this.pending = [];
  }
}
