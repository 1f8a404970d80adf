import { lowerBound } from '@wrkz/core-types';

/**
 * Known block hashes. Indexes up to the highest one are the "checkpoint zone": a block at a listed index must have
 * the listed hash, and proof of work, spent key images and signatures are not checked (docs/protocol/blocks.md#checkpoints).
 */
export class Checkpoints {
  static readonly none = new Checkpoints(new Map());

  /** The highest known index, -1 if none. */
  readonly highest: number;
  private readonly hashes: ReadonlyMap<number, Buffer>;
  /** The known indexes, ascending. */
  private readonly heights: readonly number[];

  constructor(hashes: ReadonlyMap<number, Buffer>) {
    this.hashes = hashes;
    this.heights = [...hashes.keys()].sort((a, b) => a - b);
    this.highest = this.heights.at(-1) ?? -1;
  }

  /**
   * From lines `index,hash`; blank lines and order are ignored.
   *
   * @throws RangeError with the line that is invalid or repeats an index with another hash
   */
  static fromCsv(text: string): Checkpoints {
    const hashes = new Map<number, Buffer>();
    text.split('\n').forEach((line, number) => {
      if (line.trim() === '') return;
      const match = /^\s*(\d{1,9})\s*,\s*([0-9a-fA-F]{64})\s*$/.exec(line);
      if (match?.[1] === undefined || match[2] === undefined) {
        throw new RangeError(`checkpoint line ${number + 1} is not "index,hash"`);
      }
      const height = Number(match[1]);
      const hash = Buffer.from(match[2], 'hex');
      if (hashes.get(height)?.equals(hash) === false) {
        throw new RangeError(`checkpoint line ${number + 1} gives index ${height} another hash`);
      }
      hashes.set(height, hash);
    });
    return new Checkpoints(hashes);
  }

  get size(): number {
    return this.hashes.size;
  }

  /** Whether an index is in the checkpoint zone. */
  covers(height: number): boolean {
    return height <= this.highest;
  }

  /** @returns false only if this index has another hash */
  agrees(height: number, hash: Buffer): boolean {
    return this.hashes.get(height)?.equals(hash) ?? true;
  }

  /** The highest known index up to this one; 0 (genesis) if there is none. */
  lastUpTo(height: number): number {
    const { heights } = this;
    const next = lowerBound(0, heights.length, (i) => (heights[i] ?? Infinity) <= height);
    return heights[next - 1] ?? 0;
  }

  /** The known indexes with their hashes, in no order. */
  entries(): IterableIterator<[number, Buffer]> {
    return this.hashes.entries();
  }

  /** The hash listed for this index. */
  at(height: number): Buffer | undefined {
    return this.hashes.get(height);
  }
}
