import type { RawBlock } from '@wrkz/core-types';
import type { WholeBlock } from './block-bytes';
import type { DamagedChain } from './damaged-chain';
import type { FetchedBlocks } from './fetched-blocks';

/** A block that the damaged database lacks, by its id. */
export interface WantedBlock {
  readonly height: number;
  readonly id: Buffer;
}

/** Asks peers for blocks by their ids. @returns those that somebody gave, in any order; the ids are checked here */
export type FetchBlocks = (wanted: readonly WantedBlock[]) => Promise<readonly { id: Buffer; raw: RawBlock }[]>;

/** Blocks asked for at a time. */
const AT_A_TIME = 200;

/**
 * Gets the blocks that are not whole. Which block is the right one follows from what is whole: its own row, or the block above,
 * which names its parent; so a gap is filled from above, and every byte that comes is bound by a chain of hashes.
 */
export class MissingBlocks {
  /** Ids of those that are known by now. */
  private readonly ids = new Map<number, Buffer>();
  /** Blocks that are whole here, or at least known, and are fetched only for the parent that they name. */
  private readonly alsoWanted = new Set<number>();
  private readonly had = new Set<number>();
  fetched = 0;

  constructor(
    private readonly chain: DamagedChain,
    private readonly missing: ReadonlySet<number>,
    private readonly top: number,
    private readonly store: FetchedBlocks,
  ) {}

  /** The id of the block that belongs at a height. */
  id(height: number): Buffer | undefined {
    let id = this.ids.get(height);
    if (id === undefined) {
      id = this.chain.rows.idAt(height) ?? this.parentNamedBy(height + 1);
      if (id !== undefined) this.ids.set(height, id);
    }
    return id;
  }

  /** A block that was missing and has been fetched. */
  block(height: number): WholeBlock | undefined {
    const id = this.missing.has(height) ? this.id(height) : undefined;
    return id && this.store.get(id);
  }

  /** The heights that are still missing. */
  lacking(): number[] {
    return [...this.missing].filter((height) => !this.has(height)).sort((a, b) => a - b);
  }

  /** Fetches until all is there or nobody gives more. */
  async obtain(fetch: FetchBlocks, onProgress: (done: number, of: number) => void): Promise<void> {
    for (;;) {
      const wanted = this.wanted();
      if (wanted.length === 0) return;
      let gained = 0;
      for (let start = 0; start < wanted.length; start += AT_A_TIME) {
        for (const { id, raw } of await fetch(wanted.slice(start, start + AT_A_TIME))) {
          if (this.store.put(id, raw)) gained++;
        }
        onProgress(this.missing.size - this.lacking().length, this.missing.size);
      }
      this.fetched += gained;
      if (gained === 0) return;
    }
  }

  private wanted(): WantedBlock[] {
    const wanted: WantedBlock[] = [];
    for (const height of this.lacking().reverse()) {
      const id = this.id(height);
      if (id !== undefined) wanted.push({ height, id });
      else if (height < this.top && this.id(height + 1) !== undefined) this.alsoWanted.add(height + 1);
    }
    for (const height of this.alsoWanted) {
      const id = this.id(height);
      if (id !== undefined && !this.has(height) && !wanted.some((one) => one.height === height))
        wanted.push({ height, id });
    }
    return wanted;
  }

  private has(height: number): boolean {
    if (this.had.has(height)) return true;
    const id = this.id(height);
    if (id === undefined || this.store.get(id) === undefined) return false;
    this.had.add(height);
    return true;
  }

  private parentNamedBy(height: number): Buffer | undefined {
    if (height > this.top) return undefined;
    const own = this.chain.form(height) === 'whole' ? this.chain.rows.whole(height) : undefined;
    const id = this.ids.get(height) ?? this.chain.rows.idAt(height);
    const whole = own ?? (id && this.store.get(id));
    return whole?.block.block.previousHash;
  }
}
