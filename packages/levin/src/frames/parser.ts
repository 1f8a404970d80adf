import { decodeHeader, HEADER_SIZE, type Frame, type FrameHeader } from './header';

/** A limit for buffered bytes. */
export interface ByteAllowance {
  /** Reserves `bytes`. @returns false if they exceed the limit; nothing is reserved then */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** A simple limit for buffered bytes. Counts received bytes, never a declared length. */
export class ByteBudget implements ByteAllowance {
  private used = 0;

  constructor(private readonly limit: number) {}

  /** Reserves `bytes`. @returns false if they exceed the limit; nothing is reserved then */
  take(bytes: number): boolean {
    if (this.used + bytes > this.limit) return false;
    this.used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.used = Math.max(0, this.used - bytes);
  }

  get inUse(): number {
    return this.used;
  }
}

export type FrameError = 'bad-signature' | 'frame-too-large' | 'memory-budget';

export interface FrameParserOptions {
  /** Max body bytes of a frame; called when its header is complete. */
  limitOf(header: FrameHeader): number;
  /**
   * Called after the bytes of the frame were released from the budget. A receiver that retains the frame reserves them again
   * synchronously.
   */
  onFrame(frame: Frame): void;
  budget: ByteAllowance;
}

/** Number of consecutive small chunks that are joined: a sender of single bytes must not cause a buffer object for each. */
const SMALL_RUN = 512;
const SMALL_PIECE = 4096;

/**
 * Splits a byte stream into frames. Chunks are buffered and joined when the body is complete, so that memory is proportional to
 * the received bytes, not to the declared length. After an error the parser ignores all further bytes.
 */
export class FrameParser {
  private pieces: Buffer[] = [];
  private held = 0;
  private smallRun = 0;
  private header: FrameHeader | undefined;
  private error: FrameError | undefined;

  constructor(private readonly options: FrameParserOptions) {}

  /** True while a frame is incomplete. */
  get inFrame(): boolean {
    return this.held > 0 || this.header !== undefined;
  }

  /** Parses the next bytes; calls `onFrame` for every completed frame. Returns the error that ends the stream. */
  push(bytes: Buffer): FrameError | undefined {
    if (this.error !== undefined) return this.error;
    if (!this.options.budget.take(bytes.length)) return this.fail('memory-budget');
    this.append(bytes);
    for (;;) {
      if (this.header === undefined) {
        if (this.held < HEADER_SIZE) return undefined;
        const header = decodeHeader(this.take(HEADER_SIZE));
        if (header === undefined) return this.fail('bad-signature');
        if (header.length > BigInt(this.options.limitOf(header))) return this.fail('frame-too-large');
        this.header = header;
      }
      const { length, ...fields } = this.header;
      if (this.held < Number(length)) return undefined;
      const body = this.take(Number(length));
      this.header = undefined;
      this.options.onFrame({ ...fields, body });
      if (this.error !== undefined) return this.error;
    }
  }

  /** Releases all buffered bytes. */
  end(): void {
    this.options.budget.give(this.held);
    this.pieces = [];
    this.held = 0;
    this.header = undefined;
    this.error ??= 'bad-signature';
  }

  private append(bytes: Buffer): void {
    this.pieces.push(bytes);
    this.held += bytes.length;
    this.smallRun = bytes.length < SMALL_PIECE ? this.smallRun + 1 : 0;
    if (this.smallRun < SMALL_RUN || this.pieces.length < SMALL_RUN) return;
    this.pieces.push(Buffer.concat(this.pieces.splice(-SMALL_RUN)));
    this.smallRun = 0;
  }

  private fail(error: FrameError): FrameError {
    this.end();
    this.error = error;
    return error;
  }

  private take(count: number): Buffer {
    const taken: Buffer[] = [];
    let missing = count;
    let used = 0;
    while (missing > 0) {
      const piece = this.pieces[used];
      if (piece === undefined) break;
      if (piece.length <= missing) {
        taken.push(piece);
        missing -= piece.length;
        used += 1;
      } else {
        taken.push(piece.subarray(0, missing));
        this.pieces[used] = piece.subarray(missing);
        missing = 0;
      }
    }
    this.pieces.splice(0, used);
    this.held -= count;
    this.options.budget.give(count);
    const [only] = taken;
    // A small slice must not retain the memory of the whole chunk.
    const view = taken.length === 1 && only !== undefined && count * 2 >= only.buffer.byteLength ? only : undefined;
    return view ?? Buffer.concat(taken, count);
  }
}
