import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file of records of one length, written in any order and read in ascending order; it is gone when it is closed. */
export class Spool {
  private readonly fd: number;
  private count = 0;

  constructor(
    private readonly path: string,
    private readonly recordBytes: number,
  ) {
    this.fd = openSync(path, 'wx+', 0o600);
  }

  /** A record that is put again is overwritten. */
  put(index: number, record: Buffer): void {
    writeSync(this.fd, record, 0, this.recordBytes, index * this.recordBytes);
    this.count = Math.max(this.count, index + 1);
  }

  /** Records `start` to `end` - 1, one after the other. */
  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, this.count) - start) * this.recordBytes);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.fd, bytes, done, bytes.length - done, start * this.recordBytes + done);
      if (read === 0) throw new Error(`${this.path} is shorter than what was written into it`);
      done += read;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.fd);
    rmSync(this.path, { force: true });
  }
}

/** Bytes of a bucket that are gathered before they are written. */
const GATHERED = 32 * 1024;

/** Records of one length that are sorted outside of memory: each goes into a bucket, and buckets are read whole, in order. */
export class Buckets {
  private readonly files: { readonly path: string; readonly fd: number; readonly buffer: Buffer; used: number }[];

  /** @param folder where the files go; they are gone after {@link close} */
  constructor(
    folder: string,
    count: number,
    private readonly recordBytes: number,
  ) {
    const room = Math.floor(GATHERED / recordBytes) * recordBytes;
    this.files = Array.from({ length: count }, (_, i) => {
      const path = join(folder, `bucket-${i}`);
      return { path, fd: openSync(path, 'wx+', 0o600), buffer: Buffer.allocUnsafe(room), used: 0 };
    });
  }

  put(bucket: number, record: Buffer): void {
    const file = this.files[bucket];
    if (file === undefined) throw new RangeError(`no bucket ${bucket}`);
    if (file.used === file.buffer.length) this.flush(file);
    file.used += record.copy(file.buffer, file.used, 0, this.recordBytes);
  }

  /** The records of each bucket, ascending as bytes. */
  *sorted(): Generator<readonly Buffer[], void> {
    for (const file of this.files) {
      this.flush(file);
      const bytes = readWhole(file.fd);
      const count = bytes.length / this.recordBytes;
      const records = Array.from({ length: count }, (_, i) =>
        bytes.subarray(i * this.recordBytes, (i + 1) * this.recordBytes),
      );
      yield records.sort((a, b) => a.compare(b));
    }
  }

  close(): void {
    for (const { fd, path } of this.files) {
      closeSync(fd);
      rmSync(path, { force: true });
    }
  }

  private flush(file: (typeof this.files)[number]): void {
    for (let done = 0; done < file.used;) done += writeSync(file.fd, file.buffer, done, file.used - done, null);
    file.used = 0;
  }
}

function readWhole(fd: number): Buffer {
  const parts: Buffer[] = [];
  for (let position = 0; ;) {
    const part = Buffer.allocUnsafe(1024 * 1024);
    const read = readSync(fd, part, 0, part.length, position);
    if (read === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, read));
    position += read;
  }
}
