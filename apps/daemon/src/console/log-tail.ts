import { Writable } from 'node:stream';

/** Lines that are kept. */
const KEPT = 200;

/** The last lines that were logged; the logger writes to it as to a file. */
export class LogTail extends Writable {
  private readonly lines: string[] = [];

  constructor() {
    super({ decodeStrings: false });
  }

  /** At most `count` of the newest lines, the oldest first. */
  last(count: number): string[] {
    return this.lines.slice(-count);
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.lines.push(...String(chunk).replace(/\n$/, '').split('\n'));
    this.lines.splice(0, this.lines.length - KEPT);
    done();
  }
}
