/** What may be held of somebody's bytes. */
export interface ByteAllowance {
  /** Takes `bytes`; false, and nothing taken, when they do not fit. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** A plain bound on held bytes. It counts bytes that have arrived, never a declared length. */
export class ByteBudget implements ByteAllowance {
  private used = 0;

  constructor(private readonly limit: number) {}

  /** Takes `bytes`; false, and nothing taken, when they do not fit. */
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
