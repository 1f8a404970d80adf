import { cnFastHash } from '@wrkz/crypto';

/** The digest of a payload: each raw frame's hash is chained to those before (docs/protocol/snapshot.md#digest). */
export class PayloadDigest {
  private running: Buffer = Buffer.alloc(32);

  add(frame: Buffer): void {
    this.running = cnFastHash(Buffer.concat([this.running, cnFastHash(frame)]));
  }

  /** 32 bytes; zeros for an empty payload. */
  get value(): Buffer {
    return this.running;
  }
}
