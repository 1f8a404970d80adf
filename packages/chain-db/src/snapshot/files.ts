import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Reads `length` bytes at a position; fewer at the end of the file. */
export function readBytes(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  for (let read = -1; read !== 0 && done < length; done += read) {
    read = readSync(fd, bytes, done, length - done, position + done);
  }
  return bytes.subarray(0, done);
}

/** Writes all bytes at a position. @returns the position behind the bytes */
export function writeBytes(fd: number, position: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
  return position + bytes.length;
}

/** A temporary file of records of one length, written in any order and read by index. `close()` deletes the file. */
export class Spool {
  private readonly fd: number;
  /** One above the highest index that was written. */
  count = 0;

  constructor(
    private readonly path: string,
    private readonly recordBytes: number,
  ) {
    this.fd = openSync(path, 'wx+', 0o600);
  }

  put(index: number, record: Buffer): void {
    writeBytes(this.fd, index * this.recordBytes, record);
    this.count = Math.max(this.count, index + 1);
  }

  /** Records `start` to `end` - 1, concatenated; fewer at the end of the file. */
  read(start: number, end: number): Buffer {
    const length = Math.max(0, Math.min(end, this.count) - start) * this.recordBytes;
    return readBytes(this.fd, start * this.recordBytes, length);
  }

  close(): void {
    closeSync(this.fd);
    rmSync(this.path, { force: true });
  }
}

const WRITE_BUFFER_BYTES = 32 * 1024;

interface Bucket {
  readonly path: string;
  readonly fd: number;
  readonly buffer: Buffer;
  /** Bytes in the buffer. */
  used: number;
  /** Bytes in the file. */
  written: number;
}

/**
 * External bucket sort of records of one length: each record is appended to the temporary file of its bucket, then the buckets are read
 * in order and each is sorted in memory. `close()` deletes the files.
 */
export class Buckets {
  private readonly buckets: readonly Bucket[];

  constructor(
    folder: string,
    count: number,
    private readonly recordBytes: number,
  ) {
    const bufferBytes = Math.floor(WRITE_BUFFER_BYTES / recordBytes) * recordBytes;
    this.buckets = Array.from({ length: count }, (_, i) => {
      const path = join(folder, `bucket-${i}`);
      const fd = openSync(path, 'wx+', 0o600);
      return { path, fd, buffer: Buffer.allocUnsafe(bufferBytes), used: 0, written: 0 };
    });
  }

  put(index: number, record: Buffer): void {
    const bucket = this.buckets[index];
    if (bucket === undefined) throw new RangeError(`no bucket ${index}`);
    if (bucket.used === bucket.buffer.length) flush(bucket);
    bucket.used += record.copy(bucket.buffer, bucket.used, 0, this.recordBytes);
  }

  /** The records of each bucket, in ascending byte order. */
  *sorted(): Generator<readonly Buffer[], void> {
    for (const bucket of this.buckets) {
      flush(bucket);
      const bytes = readBytes(bucket.fd, 0, bucket.written);
      const records: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += this.recordBytes)
        records.push(bytes.subarray(at, at + this.recordBytes));
      yield records.sort((a, b) => a.compare(b));
    }
  }

  close(): void {
    for (const { fd, path } of this.buckets) {
      closeSync(fd);
      rmSync(path, { force: true });
    }
  }
}

function flush(bucket: Bucket): void {
  bucket.written = writeBytes(bucket.fd, bucket.written, bucket.buffer.subarray(0, bucket.used));
  bucket.used = 0;
}
