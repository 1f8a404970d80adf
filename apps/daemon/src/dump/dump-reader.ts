import { open, type FileHandle } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit';
import { DumpError, MAX_DUMP_BLOCK } from './format';

const CHUNK = 1024 * 1024;
const SPACE = 0x20;
/** Heights and lengths have at most so many digits. */
const MAX_DIGITS = 10;

export interface DumpRecord {
  readonly height: number;
  /** Undefined where the block was stepped over. */
  readonly body: Buffer | undefined;
}

/** Reads a dump file record by record; holds no more than one record and one chunk. */
export class DumpReader {
  private buffer = Buffer.alloc(0);
  /** Where `buffer` starts in the file. */
  private base = 0;
  private ended = false;

  private constructor(
    private readonly file: FileHandle,
    readonly size: number,
  ) {}

  /** @throws Error with a message for the operator when the file cannot be read */
  static async open(path: string): Promise<DumpReader> {
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'r');
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('it is not a file');
      return new DumpReader(file, stat.size);
    } catch (error) {
      await file?.close();
      throw new Error(`the dump file ${path} cannot be read: ${errorText(error)}`);
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** Bytes read so far. */
  get position(): number {
    return this.base;
  }

  /**
   * The next record, or undefined at the end.
   * @param below the bodies of blocks below this height are stepped over
   * @throws DumpError on anything that is not a whole record
   */
  async next(below = 0): Promise<DumpRecord | undefined> {
    if ((await this.fill(1)) === 0) return undefined;
    const height = await this.number('height');
    const length = await this.number('length');
    if (length > MAX_DUMP_BLOCK) throw new DumpError(`a block of ${String(length)} bytes is declared`, this.base);
    let body: Buffer | undefined;
    if (height < below) await this.skip(length);
    else body = await this.take(length);
    const end = await this.take(1);
    if (end[0] !== SPACE) throw new DumpError(`no space after block ${String(height)}`, this.base - 1);
    return { height, body };
  }

  private async number(what: string): Promise<number> {
    await this.fill(MAX_DIGITS + 1);
    const end = this.buffer.subarray(0, MAX_DIGITS + 1).indexOf(SPACE);
    const text = this.buffer.subarray(0, Math.max(end, 0)).toString('latin1');
    if (!/^\d+$/.test(text)) throw new DumpError(`a ${what} is expected`, this.base);
    this.drop(end + 1);
    return Number(text);
  }

  private async take(length: number): Promise<Buffer> {
    if ((await this.fill(length)) < length) throw new DumpError('the last record is cut off', this.base);
    const bytes = Buffer.from(this.buffer.subarray(0, length));
    this.drop(length);
    return bytes;
  }

  private async skip(length: number): Promise<void> {
    if (this.base + length > this.size) throw new DumpError('the last record is cut off', this.base);
    if (length <= this.buffer.length) return this.drop(length);
    this.base += length;
    this.buffer = Buffer.alloc(0);
  }

  private drop(length: number): void {
    this.buffer = this.buffer.subarray(length);
    this.base += length;
  }

  /** Makes sure that `length` bytes are in the buffer, as far as the file has them. */
  private async fill(length: number): Promise<number> {
    while (this.buffer.length < length && !this.ended) {
      const chunk = Buffer.allocUnsafe(Math.max(CHUNK, length - this.buffer.length));
      const { bytesRead } = await this.file.read(chunk, 0, chunk.length, this.base + this.buffer.length);
      if (bytesRead === 0) this.ended = true;
      else this.buffer = Buffer.concat([this.buffer, chunk.subarray(0, bytesRead)]);
    }
    return this.buffer.length;
  }
}
