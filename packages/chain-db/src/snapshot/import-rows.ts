import type { BlockFacts } from '@wrkz/consensus';
import { join } from 'node:path';
import { SnapshotRefused } from '../errors';
import type { ChainWriter, ImportedRows } from '../writer/writer';
import { Buckets, Spool } from './files';
import type { SnapshotHeader } from './header';
import type { SpentKeyImage } from '../key-images';
import type { SnapshotBlock, SnapshotOutput, SnapshotRecord } from './records';

/** Approximate rows per transaction. */
const ROWS_PER_STEP = 20_000;
const IMAGE_BUCKETS = 256;

/** Temporary records: fixed-width fields at these offsets. */
const BLOCK = { bytes: 68, hash: 0, timestamp: 32, size: 40, difficulty: 44, coins: 52, transactions: 60 } as const;
/** The height comes first, big-endian: sorting the bytes sorts by height. */
const IMAGE = { bytes: 36, height: 0, image: 4 } as const;
const OUTPUT = { bytes: 46, key: 0, unlockTime: 32, position: 40, height: 42 } as const;

/** The second pass read other records than the audited ones. */
export function snapshotChanged(): SnapshotRefused {
  return new SnapshotRefused('The snapshot changed while it was read. Nothing has been written.');
}

export interface RowImportOptions {
  readonly writer: ChainWriter;
  readonly header: Pick<SnapshotHeader, 'liteHeight' | 'keyOutputRecords'>;
  /** For temporary files. */
  readonly folder: string;
  /** Called after each transaction with the number of rows written so far. */
  readonly afterStep: (phase: 'blocks' | 'write', rows: number) => Promise<void>;
}

/**
 * Writes the rows of a snapshot. Records arrive in key order and rows are written in chain order, so records are stored in
 * temporary files: blocks and key images until the first output, the outputs of an amount until the next amount. The records have
 * passed the audit; the checks here only protect the temporary files against a file that changed since. Genesis is in the
 * database already.
 */
export class RowImport {
  private readonly blocks: Spool;
  private readonly images: Buckets;
  private readonly liteHeight: number;
  private amount: { readonly amount: bigint; readonly spool: Spool } | undefined;
  private blocksWritten = false;
  private rows = 0;

  constructor(private readonly options: RowImportOptions) {
    const { header, folder } = options;
    this.liteHeight = header.liteHeight;
    this.blocks = new Spool(join(folder, 'blocks'), BLOCK.bytes);
    this.images = new Buckets(folder, IMAGE_BUCKETS, IMAGE.bytes);
  }

  /** @returns a promise only if rows are written first: millions of records need none @throws SnapshotRefused */
  add(record: SnapshotRecord): Promise<void> | undefined {
    if (record.table === 'block') return this.putBlock(record.block);
    if (record.table === 'image') return this.putImage(record.image);
    const { output } = record;
    if (BigInt(output.index) >= this.options.header.keyOutputRecords) throw snapshotChanged();
    if (this.amount?.amount === output.amount) return putOutput(this.amount.spool, output);
    return this.startAmount(output);
  }

  /** Writes the remaining rows. @throws SnapshotRefused */
  async finish(): Promise<void> {
    await this.writeBlocks();
    await this.writeAmount();
  }

  /** Deletes the temporary files. */
  close(): void {
    this.blocks.close();
    this.images.close();
    this.amount?.spool.close();
  }

  private putBlock(block: SnapshotBlock): undefined {
    if (block.height >= this.liteHeight) throw snapshotChanged();
    const record = Buffer.allocUnsafe(BLOCK.bytes);
    block.hash.copy(record, BLOCK.hash);
    record.writeBigUInt64LE(block.timestamp, BLOCK.timestamp);
    record.writeUInt32LE(block.size, BLOCK.size);
    record.writeBigUInt64LE(block.cumulativeDifficulty, BLOCK.difficulty);
    record.writeBigUInt64LE(block.generatedCoins, BLOCK.coins);
    record.writeBigUInt64LE(block.generatedTransactions, BLOCK.transactions);
    this.blocks.put(block.height, record);
  }

  private putImage({ image, height }: SpentKeyImage): undefined {
    if (height >= this.liteHeight) throw snapshotChanged();
    const record = Buffer.allocUnsafe(IMAGE.bytes);
    record.writeUInt32BE(height, IMAGE.height);
    image.copy(record, IMAGE.image);
    this.images.put(Math.floor((height * IMAGE_BUCKETS) / this.liteHeight), record);
  }

  private async startAmount(output: SnapshotOutput): Promise<void> {
    await this.finish();
    const spool = new Spool(join(this.options.folder, 'outputs'), OUTPUT.bytes);
    this.amount = { amount: output.amount, spool };
    putOutput(spool, output);
  }

  private async writeBlocks(): Promise<void> {
    if (this.blocksWritten) return;
    this.blocksWritten = true;
    const images = this.sortedImages();
    let image = images.next();
    let previous = this.block(0);
    for (let height = 1; height < this.liteHeight;) {
      const blocks: BlockFacts[] = [];
      const spent: SpentKeyImage[] = [];
      for (; height < this.liteHeight && blocks.length + spent.length < ROWS_PER_STEP; height++) {
        const block = this.block(height);
        blocks.push(factsOf(block, previous));
        for (; image.done !== true && image.value.height <= height; image = images.next()) spent.push(image.value);
        previous = block;
      }
      await this.step('blocks', blocks.length + spent.length, (rows) => {
        for (const facts of blocks) rows.putBlock(facts);
        for (const one of spent) rows.keyImages.put(one.image, one.height);
      });
    }
  }

  private async writeAmount(): Promise<void> {
    if (this.amount === undefined) return;
    const { amount, spool } = this.amount;
    let lastHeight = 0;
    for (let start = 0; start < spool.count; start += ROWS_PER_STEP) {
      const records = spool.read(start, start + ROWS_PER_STEP);
      lastHeight = assertAscending(amount, lastHeight, records);
      await this.step('write', records.length / OUTPUT.bytes, (rows) => putOutputs(rows, amount, records));
    }
    spool.close();
    this.amount = undefined;
  }

  private async step(phase: 'blocks' | 'write', count: number, work: (rows: ImportedRows) => void): Promise<void> {
    this.options.writer.importStep(work);
    this.rows += count;
    await this.options.afterStep(phase, this.rows);
  }

  private *sortedImages(): Generator<SpentKeyImage, void> {
    for (const records of this.images.sorted()) {
      for (const record of records)
        yield { height: record.readUInt32BE(IMAGE.height), image: record.subarray(IMAGE.image) };
    }
  }

  private block(height: number): SnapshotBlock {
    const record = this.blocks.read(height, height + 1);
    if (record.length < BLOCK.bytes) throw snapshotChanged();
    return {
      height,
      hash: record.subarray(BLOCK.hash, BLOCK.hash + 32),
      timestamp: record.readBigUInt64LE(BLOCK.timestamp),
      size: record.readUInt32LE(BLOCK.size),
      cumulativeDifficulty: record.readBigUInt64LE(BLOCK.difficulty),
      generatedCoins: record.readBigUInt64LE(BLOCK.coins),
      generatedTransactions: record.readBigUInt64LE(BLOCK.transactions),
    };
  }
}

/** A snapshot does not contain block versions; the node reports 0. */
function factsOf(block: SnapshotBlock, previous: SnapshotBlock): BlockFacts {
  return {
    ...block,
    ...{ majorVersion: 0, minorVersion: 0 },
    timestamp: Number(block.timestamp),
    difficulty: block.cumulativeDifficulty - previous.cumulativeDifficulty,
    generatedTransactions: Number(block.generatedTransactions),
  };
}

function putOutput(spool: Spool, output: SnapshotOutput): undefined {
  const record = Buffer.allocUnsafe(OUTPUT.bytes);
  output.key.copy(record, OUTPUT.key);
  record.writeBigUInt64LE(output.unlockTime, OUTPUT.unlockTime);
  record.writeUInt16LE(output.position, OUTPUT.position);
  record.writeUInt32LE(output.height, OUTPUT.height);
  spool.put(output.index, record);
}

/** Within an amount heights never decrease. @returns the height of the last output @throws SnapshotRefused */
function assertAscending(amount: bigint, before: number, records: Buffer): number {
  let last = before;
  for (let at = OUTPUT.height; at < records.length; at += OUTPUT.bytes) {
    const height = records.readUInt32LE(at);
    if (height < last) {
      throw new SnapshotRefused(`The snapshot's outputs of amount ${amount} are not in the order of their blocks.`);
    }
    last = height;
  }
  return last;
}

function putOutputs(rows: ImportedRows, amount: bigint, records: Buffer): void {
  for (let at = 0; at < records.length; at += OUTPUT.bytes) {
    const height = records.readUInt32LE(at + OUTPUT.height);
    if (height === 0) continue;
    const unlockAt = at + OUTPUT.unlockTime;
    rows.putOutput(amount, BigInt.asIntN(64, records.readBigUInt64LE(unlockAt)), {
      key: records.subarray(at, at + 32),
      height,
      position: records.readUInt16LE(at + OUTPUT.position),
    });
  }
}
