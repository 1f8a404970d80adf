import { setImmediate } from 'node:timers/promises';
import type { Frame } from '@wrkz/levin';
import { RateLimit } from '../util/rate-limit';

const CROWDED_FRAMES = 64;
const CROWDED_BYTES = 8 * 1024 * 1024;
/** Frames per second in the long run, and in one burst. A node that relays everything stays far below. */
const FRAMES_PER_SECOND = 200;
const FRAME_BURST = 4000;
/** Many small frames in a row must not hold the event loop longer than this. */
const SLICE_MILLISECONDS = 5;

export interface InboxOptions {
  /** The inbox holds enough (true: stop reading) or has space again (false). */
  onCrowded(crowded: boolean): void;
  onError(error: unknown): void;
  onFlood(): void;
  now(): number;
}

/** The frames of one connection, handled one after the other: the next waits until the last is done. */
export class Inbox {
  private readonly frames: Frame[] = [];
  private bytes = 0;
  private running = false;
  private closed = false;
  private crowded = false;
  private handler: ((frame: Frame) => Promise<void> | void) | undefined;
  private readonly rate: RateLimit;

  constructor(private readonly options: InboxOptions) {
    this.rate = new RateLimit(FRAMES_PER_SECOND, FRAME_BURST, options.now());
  }

  get isCrowded(): boolean {
    return this.crowded;
  }

  start(handler: (frame: Frame) => Promise<void> | void): void {
    this.handler = handler;
    void this.run();
  }

  push(frame: Frame): void {
    if (this.closed) return;
    if (!this.rate.take(this.options.now())) {
      this.options.onFlood();
      return;
    }
    this.frames.push(frame);
    this.bytes += frame.body.length;
    this.watch();
    void this.run();
  }

  close(): void {
    this.closed = true;
    this.frames.length = 0;
    this.bytes = 0;
  }

  private async run(): Promise<void> {
    if (this.running || this.handler === undefined) return;
    this.running = true;
    let slice = performance.now();
    try {
      for (;;) {
        const frame = this.frames.shift();
        if (frame === undefined) break;
        this.bytes -= frame.body.length;
        await this.handler(frame);
        this.watch();
        if (performance.now() - slice < SLICE_MILLISECONDS) continue;
        await setImmediate();
        slice = performance.now();
      }
    } catch (error) {
      if (!this.closed) this.options.onError(error);
    } finally {
      this.running = false;
    }
  }

  private watch(): void {
    const crowded = this.frames.length >= CROWDED_FRAMES || this.bytes >= CROWDED_BYTES;
    if (crowded === this.crowded || this.closed) return;
    this.crowded = crowded;
    this.options.onCrowded(crowded);
  }
}
