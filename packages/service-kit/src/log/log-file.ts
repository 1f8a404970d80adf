import { closeSync, fstatSync, openSync } from 'node:fs';
import { access, type FileHandle, open, rename } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../error-text';

/*
 * Why not a library: winston's File transport loses lines of a burst that crosses the limit (422 of 2,000).
 * rotating-file-stream 3.2.10 loses none, but a failed rotation or a full disk ends it for good, with all queued lines, and it
 * does not write to pipes and devices.
 */

export interface LogFileOptions {
  readonly path: string;
  /** Size in bytes at which the file is rotated; 0: never. */
  readonly maxBytes: number;
  /** Number of rotated files to retain; `<path>.1` is the newest. */
  readonly keep: number;
  /** Called once for each error, and once when writing works again. */
  readonly onTrouble: (text: string) => void;
  readonly retryAfterMs?: number;
}

const MODE = 0o640;
const RETRY_AFTER_MS = 1_000;
/** Max bytes in memory while the disk accepts none; further lines are dropped and counted. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

/**
 * Appends lines to a file and rotates it by size: `a.log` becomes `a.log.1`, `a.log.1` becomes `a.log.2`, and so on. A line is
 * never split. Failed writes are retried; after a failed rotation the lines are appended to the current file.
 */
export class LogFile extends Writable {
  private file: FileHandle | undefined;
  private size = 0;
  /** Size of the next rotation; above the limit after a failed one. */
  private rotateAt: number;
  private readonly rotates: boolean;
  private trouble: string | undefined;
  private dropped = 0;

  /** @throws Error of the system if the file cannot be opened */
  constructor(private readonly options: LogFileOptions) {
    super({ decodeStrings: true, highWaterMark: MAX_QUEUED_BYTES });
    // Synchronously: a path that cannot be written fails the start.
    const descriptor = openSync(options.path, 'a', MODE);
    const facts = fstatSync(descriptor);
    closeSync(descriptor);
    this.size = facts.size;
    this.rotates = facts.isFile() && options.maxBytes > 0;
    this.rotateAt = options.maxBytes;
  }

  override write(line: unknown, ...rest: unknown[]): boolean {
    if (this.writableLength < MAX_QUEUED_BYTES) return super.write(line, ...(rest as []));
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

  /**
   * Opens the path again with the next line. Lines that are being written go to the old file.
   * @throws Error of the system if the path cannot be opened; then all lines still go to the old file
   */
  async reopen(): Promise<void> {
    await (await open(this.options.path, 'a', MODE)).close();
    const { file } = this;
    this.file = undefined;
    await file?.close();
  }

  /** Writes lines in order. Lines that still fail when the log is closed are lost. */
  private async append(lines: readonly Buffer[]): Promise<void> {
    let next = 0;
    while (next < lines.length) {
      if (this.rotates && this.size >= this.rotateAt) await this.rotate();
      let end = next;
      let bytes = 0;
      do bytes += lines[end++]?.length ?? 0;
      while (end < lines.length && (!this.rotates || this.size + bytes < this.rotateAt));
      if (!(await this.writeAll(Buffer.concat(lines.slice(next, end))))) return;
      next = end;
    }
  }

  /** @returns false if the log was closed before the bytes could be written */
  private async writeAll(bytes: Buffer): Promise<boolean> {
    for (let left = bytes; left.length > 0;) {
      try {
        if (this.file === undefined) {
          this.file = await open(this.options.path, 'a', MODE);
          this.size = (await this.file.stat()).size;
        }
        const { bytesWritten } = await this.file.write(left);
        this.size += bytesWritten;
        left = left.subarray(bytesWritten);
      } catch (error) {
        this.report(`cannot be written: ${errorText(error)}`);
        if (this.writableEnded) return false;
        await pause(this.options.retryAfterMs ?? RETRY_AFTER_MS, undefined, { ref: false });
      }
    }
    this.reportRecovery();
    return true;
  }

  private async rotate(): Promise<void> {
    const { path, keep, maxBytes } = this.options;
    try {
      // Another program may have truncated or moved the file.
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
      this.options.onTrouble(`the log file ${path} cannot be rotated and continues to grow: ${errorText(error)}`);
    }
  }

  private report(text: string): void {
    if (this.trouble !== text) this.options.onTrouble(`the log file ${this.options.path} ${text}`);
    this.trouble = text;
  }

  private reportRecovery(): void {
    if (this.trouble === undefined && this.dropped === 0) return;
    const what = this.trouble === undefined ? 'was written more slowly than lines were logged' : 'is written again';
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
