import { closeSync, fstatSync, readSync } from 'node:fs';
import { PayloadDigest } from './digest';
import { SnapshotRefused } from './errors';
import { decodeSnapshotHeader, openSnapshot, SNAPSHOT_HEADER_BYTES, type SnapshotHeader } from './header';
import type { EncodedRecord } from './records';
import type { Zstd } from './zstd';

/** A frame that says it is longer is refused, so that no file decides how much memory is taken. Bytes. */
const FRAME_LIMIT = 64 * 1024 * 1024;

/** Reads a snapshot file record by record, in bounded memory. */
export class FrameReader {
  readonly header: SnapshotHeader;
  private readonly fd: number;
  private readonly digest = new PayloadDigest();
  private position = SNAPSHOT_HEADER_BYTES;
  private lastKey: Buffer | undefined;

  /** @throws SnapshotRefused; what the file system refuses, as it has it */
  constructor(
    private readonly path: string,
    private readonly zstd: Zstd,
  ) {
    this.fd = openSnapshot(path);
    try {
      this.header = decodeSnapshotHeader(this.read(0, SNAPSHOT_HEADER_BYTES), path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Of all frames read so far. */
  get payloadDigest(): Buffer {
    return this.digest.value;
  }

  close(): void {
    closeSync(this.fd);
  }

  /**
   * The records of one frame after the other; a record is good until the next frame. They are to be taken in turn, and all:
   * a frame may be full of the smallest ones, so they are found as they are asked for.
   * @throws SnapshotRefused
   */
  *frames(): Generator<Iterable<EncodedRecord>, void> {
    for (let raw = this.nextFrame(); raw !== undefined; raw = this.nextFrame()) yield this.recordsOf(raw);
    if (fstatSync(this.fd).size > this.position) throw this.corrupt('continues after its last frame');
  }

  private nextFrame(): Buffer | undefined {
    const lengths = this.read(this.position, 8);
    if (lengths.length < 8) throw this.truncated();
    this.position += 8;
    const [rawLength, packedLength] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
    if (rawLength === 0 && packedLength === 0) return undefined;
    if (rawLength === 0 || packedLength === 0 || rawLength > FRAME_LIMIT || packedLength > FRAME_LIMIT) {
      throw this.corrupt('declares an implausible frame size');
    }
    const packed = this.read(this.position, packedLength);
    if (packed.length < packedLength) throw this.truncated();
    this.position += packedLength;
    const raw = this.unpack(packed, rawLength);
    this.digest.add(raw);
    return raw;
  }

  private unpack(packed: Buffer, rawLength: number): Buffer {
    try {
      return this.zstd.decompress(packed, rawLength);
    } catch (error) {
      throw this.corrupt('holds a frame that does not decompress', error);
    }
  }

  private *recordsOf(raw: Buffer): Generator<EncodedRecord, void> {
    const cursor = new Cursor(raw);
    while (!cursor.isAtEnd) {
      const key = cursor.part();
      const value = key && cursor.part();
      if (key === undefined || value === undefined) throw this.corrupt('holds a malformed record');
      if (this.lastKey !== undefined && this.lastKey.compare(key) >= 0) {
        throw this.corrupt('holds records out of ascending key order');
      }
      this.lastKey = key;
      yield { key, value };
    }
    // The frame's memory is not kept for its last key.
    this.lastKey = this.lastKey && Buffer.from(this.lastKey);
  }

  private read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    for (let read = -1; read !== 0 && done < length; done += read) {
      read = readSync(this.fd, bytes, done, length - done, position + done);
    }
    return bytes.subarray(0, done);
  }

  private truncated(): SnapshotRefused {
    return this.corrupt('ends in the middle of a frame', undefined, 'the file is truncated');
  }

  private corrupt(what: string, cause?: unknown, so = 'the file is corrupt'): SnapshotRefused {
    return new SnapshotRefused(`${this.path} ${what} - ${so}`, { cause });
  }
}

/** A key image's record, the shortest, has this many bytes; no length of a part needs more than three bytes. */
const LENGTH_BYTES = 5;

/** Walks through parts with their lengths in front (LEB128). */
class Cursor {
  private position = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  /** undefined where none is whole. */
  part(): Buffer | undefined {
    const length = this.length();
    if (length === undefined || length > this.bytes.length - this.position) return undefined;
    return this.bytes.subarray(this.position, (this.position += length));
  }

  private length(): number | undefined {
    let value = 0;
    for (let i = 0; i < LENGTH_BYTES; i++) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    return undefined;
  }
}
