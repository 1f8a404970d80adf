import { PackedBlock, type SyncResponse, type SyncBlock } from '@wrkz/client';

/** Backpressure: fetching waits while the stored blocks exceed this size. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Estimated heap bytes of one input or output, and of one block. */
const BYTES_PER_KEY = 150;
const BYTES_PER_BLOCK = 500;

/** FIFO queue of blocks that were fetched but not applied yet. */
export class BlockStore {
  private blocks: SyncBlock[] = [];
  private taken = 0;
  private bytes = 0;

  get isEmpty(): boolean {
    return this.taken === this.blocks.length;
  }

  get isFull(): boolean {
    return this.bytes >= MAX_BYTES;
  }

  get next(): SyncBlock | undefined {
    return this.blocks[this.taken];
  }

  get last(): SyncBlock | undefined {
    return this.isEmpty ? undefined : this.blocks.at(-1);
  }

  add({ blocks }: Pick<SyncResponse, 'blocks'>): void {
    for (const block of blocks) {
      this.blocks.push(block);
      this.bytes += weight(block);
    }
  }

  /** Returns the oldest blocks without removing them. */
  first(count: number): readonly SyncBlock[] {
    return this.blocks.slice(this.taken, this.taken + count);
  }

  drop(): void {
    const block = this.blocks[this.taken];
    if (block === undefined) return;
    this.bytes -= weight(block);
    this.taken++;
    if (this.taken < 1_000 && !this.isEmpty) return;
    this.blocks = this.blocks.slice(this.taken);
    this.taken = 0;
  }

  clear(): void {
    this.blocks = [];
    this.taken = 0;
    this.bytes = 0;
  }

  /** The hashes of at most `count` blocks, newest first. */
  newestHashes(count: number): string[] {
    const from = Math.max(this.taken, this.blocks.length - count);
    return this.blocks
      .slice(from)
      .map(({ hash }) => hash)
      .reverse();
  }
}

/** Bytes of an input or output in the columns of a packed block. */
const BYTES_PER_PACKED_KEY = 40;

function weight(block: SyncBlock): number {
  if (block instanceof PackedBlock)
    return BYTES_PER_BLOCK + (block.inputCount + block.outputCount) * BYTES_PER_PACKED_KEY;
  const { coinbase, transactions } = block;
  let keys = coinbase === undefined ? 0 : coinbase.outputs.length + 2;
  for (const { inputs, outputs } of transactions) keys += inputs.length + outputs.length + 2;
  return BYTES_PER_BLOCK + keys * BYTES_PER_KEY;
}
