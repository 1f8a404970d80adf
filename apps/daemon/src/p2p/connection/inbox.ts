import { HEADER_SIZE, type ByteAllowance, type Frame } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { AddressBudget } from '../limits/address-budget';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { P2pClock } from '../ports';

const CROWDED_FRAMES = 64;
const CROWDED_BYTES = 8 * 1024 * 1024;
/** Max time for consecutive small frames between two yields to the event loop. */
const SLICE_MILLISECONDS = 5;

export interface InboxOptions {
  /** Backpressure: true when the inbox is full enough to stop reading, false when it has space again. */
  onCrowded(crowded: boolean): void;
  onError(error: unknown): void;
  /** Closes the connection. */
  close(reason: CloseReason): void;
  /** Whether we requested the content of the frame: such a frame is not charged and does not wait for the budget. */
  isRequested(frame: Frame): boolean;
  readonly clock: Pick<P2pClock, 'now' | 'after'>;
  readonly share: ByteAllowance;
  readonly budget: Pick<AddressBudget, 'takeFrame' | 'budgetOf'>;
}

/** Bytes that a queued frame counts for. */
const sizeOf = (frame: Frame): number => HEADER_SIZE + frame.body.length;

/**
 * Queue of the received frames of one connection. They are handled one at a time, and only while the address is within its share
 * of the event loop. A frame counts for the memory budget until it has been handled.
 */
export class Inbox {
  private readonly frames: Frame[] = [];
  private bytes = 0;
  private running = false;
  private closed = false;
  private crowded = false;
  private handler: ((frame: Frame) => Promise<void> | void) | undefined;

  constructor(private readonly options: InboxOptions) {}

  get isCrowded(): boolean {
    return this.crowded;
  }

  start(handler: (frame: Frame) => Promise<void> | void): void {
    this.handler = handler;
    void this.run();
  }

  push(frame: Frame): void {
    if (this.closed) return;
    const { share, budget } = this.options;
    if (!budget.takeFrame(frame, this.options.isRequested(frame))) return this.options.close(closeReasons.flood);
    if (!share.take(sizeOf(frame))) return this.options.close(closeReasons.memoryBudget);
    this.frames.push(frame);
    this.bytes += sizeOf(frame);
    this.watch();
    void this.run();
  }

  close(): void {
    this.closed = true;
    for (const frame of this.frames.splice(0)) this.release(frame);
  }

  private async run(): Promise<void> {
    if (this.running || this.handler === undefined) return;
    this.running = true;
    const yielder = new EventLoopYielder(SLICE_MILLISECONDS);
    try {
      for (;;) {
        const [first] = this.frames;
        if (first === undefined) break;
        await this.waitForBudget(first);
        const frame = this.frames.shift();
        if (frame === undefined) break;
        try {
          await this.handler(frame);
        } finally {
          this.release(frame);
        }
        this.watch();
        await yielder.yieldIfDue();
      }
    } catch (error) {
      if (!this.closed) this.options.onError(error);
    } finally {
      this.running = false;
    }
  }

  /** Waits until the budget of the address allows work again. */
  private async waitForBudget(frame: Frame): Promise<void> {
    const { clock, budget } = this.options;
    if (this.options.isRequested(frame)) return;
    const work = budget.budgetOf(frame.command);
    const owed = (): number => (this.closed ? 0 : work.owed());
    for (let wait = owed(); wait > 0; wait = owed()) {
      // The peer exceeded its budget of event-loop time too often.
      if (work.note(wait)) return this.options.close(closeReasons.overwork);
      const time = wait;
      await new Promise<void>((resolve) => clock.after(time, resolve));
    }
  }

  private release(frame: Frame): void {
    this.bytes -= sizeOf(frame);
    this.options.share.give(sizeOf(frame));
  }

  private watch(): void {
    const crowded = this.frames.length >= CROWDED_FRAMES || this.bytes >= CROWDED_BYTES;
    if (crowded === this.crowded || this.closed) return;
    this.crowded = crowded;
    this.options.onCrowded(crowded);
  }
}
