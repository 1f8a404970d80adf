import { BinaryReader, DecodeError } from '@wrkz/core-types';

/** Nothing that is read as one is longer: a transaction of the chain is shorter by far. */
const LONGEST = 4 * 1024 * 1024;

/** Work that gives way wherever it needs more of the cache. */
export type CacheWork<T> = Generator<void, T>;

/** The part of the opened cache that is in memory: what was read goes, what is needed is waited for. */
export class CacheWindow {
  private bytes: Buffer = Buffer.alloc(0);

  /** @param toCome bytes of the opened cache that are not in memory yet */
  constructor(private toCome: number) {}

  /** Bytes that have not been read. */
  get left(): number {
    return this.bytes.length + this.toCome;
  }

  push(opened: Buffer): void {
    this.toCome -= opened.length;
    this.bytes = this.bytes.length === 0 ? opened : Buffer.concat([this.bytes, opened]);
  }

  /**
   * Reads one thing. It is tried again from its beginning when the window ended in it, so `parse` must not change anything,
   * and must not give away views of what it read.
   * @throws DecodeError
   */
  *read<T>(parse: (reader: BinaryReader) => T): CacheWork<T> {
    for (;;) {
      try {
        const reader = new BinaryReader(this.bytes);
        const value = parse(reader);
        this.bytes = this.bytes.subarray(reader.offset);
        return value;
      } catch (error) {
        if (!(error instanceof DecodeError) || this.toCome === 0 || this.bytes.length > LONGEST) throw error;
      }
      yield;
    }
  }

  /** A count of things of at least `smallest` bytes each. @throws DecodeError when the rest cannot hold them */
  *count(smallest: number, what: string): CacheWork<number> {
    const count = yield* this.read((reader) => reader.varintNumber(53));
    if (count * smallest > this.left) throw new DecodeError(`more ${what} declared than the cache can hold`);
    return count;
  }

  /** @throws DecodeError when there are not so many */
  *skip(size: number): CacheWork<void> {
    if (size > this.left) throw new DecodeError('unexpected end of the cache');
    let rest = size;
    for (;;) {
      const here = Math.min(rest, this.bytes.length);
      this.bytes = this.bytes.subarray(here);
      rest -= here;
      if (rest === 0) return;
      yield;
    }
  }
}
