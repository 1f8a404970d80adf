import { HEADER_SIZE, type ByteAllowance, type Frame } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { AddressBudget } from '../limits/address-budget';
import type { P2pClock } from '../ports';

const CROWDED_FRAMES = 64;
const CROWDED_BYTES = 8 * 1024 * 1024;
/** Many small frames in a row must not hold the event loop longer than this. */
const SLICE_MILLISECONDS = 5;

export interface InboxOptions {
  /** The inbox holds enough (true: stop reading) or has space again (false). */
  onCrowded(crowded: boolean): void;
  onError(error: unknown): void;
  onFlood(): void;
  /** The frame cannot be held: too much is held already. */
  onFull(): void;
  /** The peer had to wait for its budget too often. */
  onOverwork(): void;
  /** Whether we requested the content of the frame: such a frame is not charged and does not wait. */
  isRequested(frame: Frame): boolean;
  readonly clock: Pick<P2pClock, 'now' | 'after'>;
  readonly share: ByteAllowance;
  readonly budget: Pick<AddressBudget, 'takeFrame' | 'budgetOf'>;
}

/** The memory that a waiting frame is counted as. */
const sizeOf = (frame: Frame): number => HEADER_SIZE + frame.body.length;

/**
 * The frames of one connection, handled one after the other: the next waits until the last is done, and until its
 * address has not used more than its share of the event loop. A frame is held, and counts, until it has been handled.
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
    if (!budget.takeFrame(frame, this.options.isRequested(frame))) {
      this.options.onFlood();
      return;
    }
    if (!share.take(sizeOf(frame))) {
      this.options.onFull();
      return;
    }
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

  /** Waits until work may be done for the address again. */
  private async waitForBudget(frame: Frame): Promise<void> {
    const { clock, budget } = this.options;
    if (this.options.isRequested(frame)) return;
    const work = budget.budgetOf(frame.command);
    const owed = (): number => (this.closed ? 0 : work.owed());
    for (let wait = owed(); wait > 0; wait = owed()) {
      if (work.note(wait)) {
        this.options.onOverwork();
        return;
      }
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
