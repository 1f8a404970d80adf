import { writeSync } from 'node:fs';
import { PayloadDigest } from './digest';
import { encodeSnapshotHeader, SNAPSHOT_HEADER_BYTES, RESERVED_HEADER, type SnapshotHeader } from './header';
import type { EncodedRecord } from './records';
import type { Zstd } from './zstd';

/** A frame ends with the record that brings it to so many raw bytes; part of the digest's definition. */
export const FRAME_TARGET = 4 * 1024 * 1024;

/** Longest record, with its lengths; far above any that there is. */
const RECORD_ROOM = 4096;

const END = Buffer.alloc(8);

/** Writes a payload frame by frame into a file that is open and empty (docs/protocol/snapshot.md#frames). */
export class FrameWriter {
  private readonly frame = Buffer.allocUnsafe(FRAME_TARGET + RECORD_ROOM);
  private length = 0;
  private position = SNAPSHOT_HEADER_BYTES;
  private readonly digest = new PayloadDigest();
  private lastKey = Buffer.alloc(0);
  /** Records so far. */
  records = 0n;

  constructor(
    private readonly fd: number,
    private readonly zstd: Zstd,
  ) {
    writeAll(fd, encodeSnapshotHeader(RESERVED_HEADER), 0);
  }

  /** @throws Error when keys do not rise, which is a fault of ours */
  add({ key, value }: EncodedRecord): void {
    if (this.lastKey.compare(key) >= 0 && this.records > 0n) throw new Error('records of a snapshot do not ascend');
    if (this.lastKey.length !== key.length) this.lastKey = Buffer.alloc(key.length);
    key.copy(this.lastKey);
    this.put(key);
    this.put(value);
    this.records++;
    if (this.length >= FRAME_TARGET) this.endFrame();
  }

  /** Ends the payload and puts the header in its place, the digest filled in. @returns it */
  finish(header: Omit<SnapshotHeader, 'digest'>): SnapshotHeader {
    if (this.length > 0) this.endFrame();
    writeAll(this.fd, END, this.position);
    const whole = { ...header, digest: this.digest.value };
    writeAll(this.fd, encodeSnapshotHeader(whole), 0);
    return whole;
  }

  private put(part: Buffer): void {
    let length = part.length;
    for (; length >= 0x80; length >>>= 7) this.frame[this.length++] = (length & 0x7f) | 0x80;
    this.frame[this.length++] = length;
    this.length += part.copy(this.frame, this.length);
  }

  private endFrame(): void {
    const raw = this.frame.subarray(0, this.length);
    this.digest.add(raw);
    const packed = this.zstd.compress(raw);
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32LE(raw.length, 0);
    lengths.writeUInt32LE(packed.length, 4);
    this.position += writeAll(this.fd, lengths, this.position);
    this.position += writeAll(this.fd, packed, this.position);
    this.length = 0;
  }
}

/** @returns how many bytes that were */
function writeAll(fd: number, bytes: Buffer, position: number): number {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
  return bytes.length;
}
