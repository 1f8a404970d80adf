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
import { LineReader } from './line-reader';

export interface ConnectionHandlers {
  /** Answers a line; the next one is given when it has resolved. */
  onLine(line: string): Promise<void>;
  onClosed(): void;
}

/**
 * A socket as lines of JSON in both directions. Nothing is read while a line is being answered or answers wait to be sent,
 * so that a connection holds one chunk of requests and a bounded number of answers, whatever its other side does.
 */
export class StratumConnection {
  /** Why it was ended by us. */
  reason: string | undefined;
  private readonly reader = new LineReader(MAX_LINE_BYTES);
  /** When each message that is not sent yet was written. */
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

  /** Whether messages may still go out. */
  get isOpen(): boolean {
    return !this.ending;
  }

  /** A client that lets too much wait is cut off. */
  send(message: object): void {
    if (this.ending) return;
    if (this.unsent.length >= MAX_UNSENT) return this.cut('it does not read');
    this.unsent.push(this.now());
    this.socket.write(`${stringifyJson(message)}\n`, () => {
      this.unsent.shift();
      if (this.unsent.length < UNSENT_BEFORE_READING) this.onSent?.();
    });
  }

  /** Ends it once everything is sent; a client that does not hang up then is cut off. */
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

  /** Cuts off whoever blocks: a line that does not end, answers that nobody reads. */
  look(): void {
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

  /** Until few enough answers wait. */
  private async sent(): Promise<void> {
    if (this.unsent.length < UNSENT_BEFORE_READING || this.ending) return;
    await new Promise<void>((resolve) => (this.onSent = resolve));
    this.onSent = undefined;
  }
}
