import type { Socket } from 'node:net';
import { stringifyJson } from '@wrkz/service-kit';
import {
  LINE_LIMIT,
  LINGER,
  MAX_LINE_BYTES,
  MAX_UNSENT,
  PROBE_AFTER,
  UNSENT_BEFORE_READING,
  WRITE_LIMIT,
} from './limits';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Splits a stream into lines. Drops empty lines and a carriage return before the line feed. */
class LineReader {
  private rest = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  /** Whether an incomplete line is buffered. */
  get isInside(): boolean {
    return this.rest.length > 0;
  }

  /** The lines that these bytes complete. @throws RangeError on a line that is too long */
  push(bytes: Buffer): string[] {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const lines: string[] = [];
    let start = 0;
    for (let end = all.indexOf(NEWLINE); end >= 0; end = all.indexOf(NEWLINE, start)) {
      const line = all.subarray(start, end > start && all[end - 1] === RETURN ? end - 1 : end);
      this.requireShort(line.length);
      if (line.length > 0) lines.push(line.toString());
      start = end + 1;
    }
    this.requireShort(all.length - start);
    // A copy: a view would retain the whole chunk.
    this.rest = Buffer.from(all.subarray(start));
    return lines;
  }

  private requireShort(length: number): void {
    if (length > this.maxBytes) throw new RangeError(`a line of more than ${String(this.maxBytes)} bytes`);
  }
}

export interface ConnectionHandlers {
  /** Handles a line; the next line is passed after it resolves. */
  onLine(line: string): Promise<void>;
  onClosed(): void;
}

/**
 * A socket as lines of JSON in both directions. The socket is paused while a line is handled or responses are queued, so a
 * connection buffers one chunk of requests and a bounded number of responses.
 */
export class StratumConnection {
  /** The reason why the server closed the connection. */
  reason: string | undefined;
  private readonly reader = new LineReader(MAX_LINE_BYTES);
  /** Time at which each unsent message was written. */
  private readonly unsent: number[] = [];
  private lineSince: number | undefined;
  private onSent: (() => void) | undefined;
  private ending = false;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly socket: Socket,
    private readonly handlers: ConnectionHandlers,
    private readonly now: () => number,
  ) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_AFTER);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => void this.read(bytes));
    socket.once('close', () => {
      this.ending = true;
      this.onSent?.();
      handlers.onClosed();
    });
  }

  /** Whether messages can still be sent. */
  get isOpen(): boolean {
    return !this.ending;
  }

  /** Disconnects a client whose queue is full. */
  send(message: object): void {
    if (this.ending) return;
    if (this.unsent.length >= MAX_UNSENT) return this.cut('it does not read');
    this.unsent.push(this.now());
    this.socket.write(`${stringifyJson(message)}\n`, () => {
      this.unsent.shift();
      if (this.unsent.length < UNSENT_BEFORE_READING) this.onSent?.();
    });
  }

  /** Closes the connection after everything is sent; destroys it if the client does not close its side in time. */
  end(reason: string): void {
    if (this.ending) return;
    this.reason = reason;
    this.ending = true;
    this.socket.end();
    const cut = setTimeout(() => this.socket.destroy(), LINGER);
    this.socket.once('close', () => clearTimeout(cut));
  }

  cut(reason: string): void {
    this.reason ??= reason;
    this.ending = true;
    this.socket.destroy();
  }

  /** Disconnects a client that stalls: an incomplete line, or responses that are not read. */
  check(): void {
    const now = this.now();
    if (now - (this.unsent[0] ?? now) >= WRITE_LIMIT) this.cut('a write was blocked');
    else if (now - (this.lineSince ?? now) >= LINE_LIMIT) this.cut('a line did not end');
  }

  private async read(bytes: Buffer): Promise<void> {
    if (this.ending) return;
    this.socket.pause();
    try {
      const lines = this.reader.push(bytes);
      if (!this.reader.isInside) this.lineSince = undefined;
      else if (lines.length > 0 || this.lineSince === undefined) this.lineSince = this.now();
      for (const line of lines) {
        await this.sent();
        if (this.ending) return;
        await this.handlers.onLine(line);
      }
    } catch (error) {
      return this.cut((error as Error).message);
    }
    if (!this.ending) this.socket.resume();
  }

  /** Resolves when few enough responses are queued. */
  private async sent(): Promise<void> {
    if (this.unsent.length < UNSENT_BEFORE_READING || this.ending) return;
    await new Promise<void>((resolve) => (this.onSent = resolve));
    this.onSent = undefined;
  }
}
