import { closeSync, fstatSync, openSync } from 'node:fs';
import { access, type FileHandle, open, rename } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../error-text';

/**
 * Libraries that rotate by size were measured: winston's File transport loses lines of a burst that crosses the limit
 * (422 of 2,000), rotating-file-stream 3.2.10 loses none, but a rotation that fails or a disk that is full for a moment
 * ends it for good, with the lines that wait, and it takes no pipe or device. So this is written here.
 */

export interface LogFileOptions {
  readonly path: string;
  /** Bytes from which on a new file is begun; 0 for never. */
  readonly maxBytes: number;
  /** Older files that are kept, `<path>.1` the newest of them. */
  readonly keep: number;
  /** Hears once of each trouble, and once when it is over. */
  readonly onTrouble: (text: string) => void;
  /** Milliseconds from a write that failed to the next try. */
  readonly retryAfter?: number;
}

/** Created files are for their owner and group. */
const MODE = 0o640;
const RETRY_AFTER = 1_000;
/** Bytes that may wait for a disk that takes none; lines beyond it are dropped and counted. */
const MOST_WAITING = 64 * 1024 * 1024;

/**
 * Appends lines to a file, and begins a new one when it is full: `a.log` becomes `a.log.1`, that one `a.log.2`, and so on.
 * A line stands whole in one file. What cannot be written waits and is tried again, a rotation that fails leaves the lines
 * in the file that there is.
 */
export class LogFile extends Writable {
  private file: FileHandle | undefined;
  private size = 0;
  /** The size at which a rotation is tried next; above the limit when the last one failed. */
  private rotateAt: number;
  private readonly rotates: boolean;
  private trouble: string | undefined;
  private dropped = 0;

  /** @throws Error of the system when the file cannot be opened */
  constructor(private readonly options: LogFileOptions) {
    super({ decodeStrings: true, highWaterMark: MOST_WAITING });
    // At once, so that a path that cannot be written stops the start instead of losing lines.
    const descriptor = openSync(options.path, 'a', MODE);
    const facts = fstatSync(descriptor);
    closeSync(descriptor);
    this.size = facts.size;
    this.rotates = facts.isFile() && options.maxBytes > 0;
    this.rotateAt = options.maxBytes;
  }

  override write(line: unknown, ...rest: unknown[]): boolean {
    if (this.writableLength < MOST_WAITING) return super.write(line, ...(rest as []));
    this.dropped += 1;
    return false;
  }

  override _write(line: Buffer, _encoding: BufferEncoding, done: () => void): void {
    void this.append([line]).then(done);
  }

  override _writev(lines: { chunk: Buffer }[], done: () => void): void {
    void this.append(lines.map(({ chunk }) => chunk)).then(done);
  }

  override _final(done: (error?: Error) => void): void {
    const closed = this.file?.close() ?? Promise.resolve();
    closed.then(() => done(), done);
  }

  /** Writes the lines in their order; those that still fail when the log is to be closed are given up. */
  private async append(lines: readonly Buffer[]): Promise<void> {
    let next = 0;
    while (next < lines.length) {
      if (this.rotates && this.size >= this.rotateAt) await this.rotate();
      let end = next;
      let bytes = 0;
      do bytes += lines[end++]?.length ?? 0;
      while (end < lines.length && (!this.rotates || this.size + bytes < this.rotateAt));
      if (!(await this.written(Buffer.concat(lines.slice(next, end))))) return;
      next = end;
    }
  }

  /** @returns false when it could not be written before the end */
  private async written(bytes: Buffer): Promise<boolean> {
    for (let left = bytes; left.length > 0;) {
      try {
        this.file ??= await open(this.options.path, 'a', MODE);
        const { bytesWritten } = await this.file.write(left);
        this.size += bytesWritten;
        left = left.subarray(bytesWritten);
      } catch (error) {
        this.tell(`cannot be written: ${errorText(error)}`);
        if (this.writableEnded) return false;
        await pause(this.options.retryAfter ?? RETRY_AFTER, undefined, { ref: false });
      }
    }
    this.wellAgain();
    return true;
  }

  private async rotate(): Promise<void> {
    const { path, keep, maxBytes } = this.options;
    try {
      // Somebody else may have emptied or moved it meanwhile.
      this.size = (await this.file?.stat())?.size ?? this.size;
      if (this.size < this.rotateAt) return;
      const older = (i: number): string => (i === 0 ? path : `${path}.${String(i)}`);
      let count = 0;
      while (count < keep && (await exists(older(count)))) count += 1;
      for (let i = count; i >= 1; i--) await rename(older(i - 1), older(i));
      const next = await open(path, keep === 0 ? 'w' : 'a', MODE);
      const { file } = this;
      this.file = next;
      this.size = (await next.stat()).size;
      this.rotateAt = maxBytes;
      await file?.close();
    } catch (error) {
      this.rotateAt = this.size + maxBytes;
      this.options.onTrouble(`the log file ${path} grows on, as it cannot be rotated: ${errorText(error)}`);
    }
  }

  private tell(text: string): void {
    if (this.trouble !== text) this.options.onTrouble(`the log file ${this.options.path} ${text}`);
    this.trouble = text;
  }

  private wellAgain(): void {
    if (this.trouble === undefined && this.dropped === 0) return;
    const what = this.trouble === undefined ? 'could not be written as fast as lines came' : 'is written again';
    this.trouble = undefined;
    const lost = this.dropped === 0 ? '' : `; ${String(this.dropped)} lines were dropped`;
    this.dropped = 0;
    this.options.onTrouble(`the log file ${this.options.path} ${what}${lost}`);
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
