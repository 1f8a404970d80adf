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
