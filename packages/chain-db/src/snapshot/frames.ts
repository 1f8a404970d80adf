import { closeSync, fstatSync } from 'node:fs';
import { cnFastHash } from '@wrkz/crypto';
import { SnapshotRefused } from '../errors';
import { readBytes, writeBytes } from './files';
import {
  decodeSnapshotHeader,
  encodeSnapshotHeader,
  openSnapshot,
  SNAPSHOT_HEADER_BYTES,
  type SnapshotHeader,
} from './header';
import type { EncodedRecord } from './records';
import type { Zstd } from './zstd';

/**
 * The payload of a snapshot: compressed frames of records (docs/protocol/snapshot.md#frames). A frame is the raw length (u32), the
 * packed length (u32) and a zstd frame; 8 zero bytes end the payload. A record is key and value, each behind its length in LEB128.
 */

/** A frame ends with the record that reaches this raw length. Part of the definition of the digest. */
const FRAME_TARGET_BYTES = 4 * 1024 * 1024;
/** Upper bound of one record with its lengths, far above the largest record. */
const MAX_RECORD_BYTES = 4096;
/** Longer frames are refused, so that no file decides how much memory is allocated. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** LEB128 groups of a length; a record without its lengths has fewer than 2^35 bytes. */
const MAX_LENGTH_BYTES = 5;

const END_OF_PAYLOAD = Buffer.alloc(8);

/** The digest of a payload: a chain of the hashes of its raw frames (docs/protocol/snapshot.md#digest). */
class PayloadDigest {
  /** 32 bytes; zeros for an empty payload. */
  value: Buffer = Buffer.alloc(32);

  add(rawFrame: Buffer): void {
    this.value = cnFastHash(Buffer.concat([this.value, cnFastHash(rawFrame)]));
  }
}

/** Writes a snapshot into an open, empty file. The header is written last, by {@link finish}. */
export class FrameWriter {
  private readonly frame = Buffer.allocUnsafe(FRAME_TARGET_BYTES + MAX_RECORD_BYTES);
  private length = 0;
  private position = SNAPSHOT_HEADER_BYTES;
  private readonly digest = new PayloadDigest();
  private lastKey: Buffer | undefined;

  constructor(
    private readonly fd: number,
    private readonly zstd: Zstd,
  ) {}

  /** @throws Error if keys do not ascend, which is a bug of the caller */
  add({ key, value }: EncodedRecord): void {
    if (this.lastKey !== undefined && this.lastKey.compare(key) >= 0) throw new Error('snapshot keys do not ascend');
    this.lastKey = key;
    this.put(key);
    this.put(value);
    if (this.length >= FRAME_TARGET_BYTES) this.endFrame();
  }

  /** Ends the payload and writes the header with its digest. @returns the complete header */
  finish(header: Omit<SnapshotHeader, 'digest'>): SnapshotHeader {
    if (this.length > 0) this.endFrame();
    writeBytes(this.fd, this.position, END_OF_PAYLOAD);
    const complete = { ...header, digest: this.digest.value };
    writeBytes(this.fd, 0, encodeSnapshotHeader(complete));
    return complete;
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
    this.position = writeBytes(this.fd, this.position, lengths);
    this.position = writeBytes(this.fd, this.position, packed);
    this.length = 0;
  }
}

/** Reads a snapshot record by record, in bounded memory. */
export class FrameReader {
  readonly header: SnapshotHeader;
  private readonly fd: number;
  private readonly digest = new PayloadDigest();
  private position = SNAPSHOT_HEADER_BYTES;
  private lastKey: Buffer | undefined;

  /** @throws SnapshotRefused; the error of the file system */
  constructor(
    private readonly path: string,
    private readonly zstd: Zstd,
  ) {
    this.fd = openSnapshot(path);
    try {
      this.header = decodeSnapshotHeader(readBytes(this.fd, 0, SNAPSHOT_HEADER_BYTES), path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Of the frames that were read so far. */
  get payloadDigest(): Buffer {
    return this.digest.value;
  }

  close(): void {
    closeSync(this.fd);
  }

  /**
   * The records of one frame after the other. Each is valid until the next frame. The caller has to consume all in order; records
   * are parsed lazily, because a hostile frame may hold millions of tiny ones.
   * @throws SnapshotRefused
   */
  *frames(): Generator<Iterable<EncodedRecord>, void> {
    for (let raw = this.nextFrame(); raw !== undefined; raw = this.nextFrame()) yield this.recordsOf(raw);
    if (fstatSync(this.fd).size > this.position) throw this.corrupt('continues after its last frame');
  }

  private nextFrame(): Buffer | undefined {
    const lengths = this.read(8);
    const [rawLength, packedLength] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
    if (rawLength === 0 && packedLength === 0) return undefined;
    if (Math.min(rawLength, packedLength) === 0 || Math.max(rawLength, packedLength) > MAX_FRAME_BYTES) {
      throw this.corrupt('declares an implausible frame size');
    }
    const packed = this.read(packedLength);
    let raw: Buffer;
    try {
      raw = this.zstd.decompress(packed, rawLength);
    } catch (error) {
      throw this.corrupt('holds a frame that does not decompress', error);
    }
    this.digest.add(raw);
    return raw;
  }

  private *recordsOf(raw: Buffer): Generator<EncodedRecord, void> {
    let position = 0;
    const part = (): Buffer => {
      let length = 0;
      for (let i = 0, byte = 0x80; byte >= 0x80; i++) {
        const next = raw[position++];
        if (next === undefined || i === MAX_LENGTH_BYTES) throw this.corrupt('holds a malformed record');
        byte = next;
        length += (byte & 0x7f) * 2 ** (7 * i);
      }
      if (length > raw.length - position) throw this.corrupt('holds a malformed record');
      return raw.subarray(position, (position += length));
    };
    while (position < raw.length) {
      const [key, value] = [part(), part()];
      if (this.lastKey !== undefined && this.lastKey.compare(key) >= 0) {
        throw this.corrupt('holds records out of ascending key order');
      }
      this.lastKey = key;
      yield { key, value };
    }
    // A copy, because the view would retain the memory of the whole frame.
    this.lastKey = this.lastKey && Buffer.from(this.lastKey);
  }

  private read(length: number): Buffer {
    const bytes = readBytes(this.fd, this.position, length);
    if (bytes.length < length) {
      throw new SnapshotRefused(`${this.path} ends in the middle of a frame - the file is truncated`);
    }
    this.position += length;
    return bytes;
  }

  private corrupt(problem: string, cause?: unknown): SnapshotRefused {
    return new SnapshotRefused(`${this.path} ${problem} - the file is corrupt`, { cause });
  }
}
