import { open, type FileHandle } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit';

/**
 * The dump file of the network's programs (docs/protocol/storage.md#dump-file). It has no header. Each block from index 1 on is a
 * record: height in decimal, space, length of the body in decimal, space, body, space. The body is a raw block of core-types.
 */

/** Genesis is never written. */
export const FIRST_DUMP_HEIGHT = 1;
/** Larger bodies are rejected. The hard limit of a block stays below 4 MiB for centuries. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const SPACE = 0x20;
/** Digits of a height or length. */
const MAX_DIGITS = 10;

/** An invalid record. The position is in bytes from the start of the file. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`${message} (at byte ${String(position)} of the dump file)`);
  }
}

export function dumpRecord(height: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${String(height)} ${String(body.length)} `), body, Buffer.from([SPACE])]);
}

export interface DumpRecord {
  readonly height: number;
  /** Undefined if the body was skipped. */
  readonly body: Buffer | undefined;
}

/** Reads a dump file record by record. Holds one record and one chunk of the file in memory. */
export class DumpReader {
  private buffer = Buffer.alloc(0);
  /** Position of `buffer` in the file. */
  private base = 0;
  private isAtEnd = false;

  private constructor(
    private readonly file: FileHandle,
    readonly size: number,
  ) {}

  /** @throws Error with a message for the operator if the file cannot be read */
  static async open(path: string): Promise<DumpReader> {
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'r');
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('it is not a file');
      return new DumpReader(file, stat.size);
    } catch (error) {
      await file?.close();
      throw new Error(`the dump file ${path} cannot be read: ${errorText(error)}`, { cause: error });
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** Bytes consumed so far. */
  get position(): number {
    return this.base;
  }

  /**
   * The next record; undefined at the end of the file.
   * @param below bodies of blocks below this height are skipped
   * @throws DumpError
   */
  async next(below = 0): Promise<DumpRecord | undefined> {
    if ((await this.fill(1)) === 0) return undefined;
    const height = await this.number('height');
    const length = await this.number('length');
    if (length > MAX_BODY_BYTES) throw new DumpError(`a block of ${String(length)} bytes is declared`, this.base);
    let body: Buffer | undefined;
    if (height < below) this.skip(length);
    else body = await this.take(length);
    const end = await this.take(1);
    if (end[0] !== SPACE) throw new DumpError(`no space after block ${String(height)}`, this.base - 1);
    return { height, body };
  }

  private async number(name: string): Promise<number> {
    await this.fill(MAX_DIGITS + 1);
    const end = this.buffer.subarray(0, MAX_DIGITS + 1).indexOf(SPACE);
    const text = this.buffer.subarray(0, Math.max(end, 0)).toString('latin1');
    if (!/^\d+$/.test(text)) throw new DumpError(`a ${name} is expected`, this.base);
    this.drop(end + 1);
    return Number(text);
  }

  private async take(length: number): Promise<Buffer> {
    if ((await this.fill(length)) < length) throw new DumpError('the last record is cut off', this.base);
    const bytes = Buffer.from(this.buffer.subarray(0, length));
    this.drop(length);
    return bytes;
  }

  private skip(length: number): void {
    if (this.base + length > this.size) throw new DumpError('the last record is cut off', this.base);
    this.drop(length);
  }

  /** Skips bytes, also beyond the end of the buffer: the next read continues at the new position. */
  private drop(length: number): void {
    this.buffer = this.buffer.subarray(length);
    this.base += length;
  }

  /** Reads until the buffer has `length` bytes or the file ends. @returns the bytes in the buffer */
  private async fill(length: number): Promise<number> {
    while (this.buffer.length < length && !this.isAtEnd) {
      const chunk = Buffer.allocUnsafe(Math.max(READ_BYTES, length - this.buffer.length));
      const { bytesRead } = await this.file.read(chunk, 0, chunk.length, this.base + this.buffer.length);
      if (bytesRead === 0) this.isAtEnd = true;
      else this.buffer = Buffer.concat([this.buffer, chunk.subarray(0, bytesRead)]);
    }
    return this.buffer.length;
  }
}
