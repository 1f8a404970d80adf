import type { BlockFacts } from '@wrkz/consensus';
import { join } from 'node:path';
import { toSigned } from '../integers';
import type { ChainWriter, ImportedRows } from '../writer/writer';
import type { SnapshotBlock, SnapshotImage, SnapshotOutput } from './records';
import { changedMeanwhile, SnapshotRefused } from './errors';
import type { SnapshotHeader } from './header';
import { Buckets, Spool } from './spool';

/** Rows of one transaction, roughly. */
const ROWS_A_CHANGE = 20_000;

const BLOCK_BYTES = 32 + 8 + 4 + 8 + 8 + 8;
const IMAGE_BYTES = 4 + 32;
const OUTPUT_BYTES = 32 + 8 + 2 + 4;
const BUCKETS = 256;

/**
 * Turns records, which come in the order of their keys, into rows in the order of the chain. What cannot be written at once
 * lies in files in `folder`. Genesis is in the database already and is passed over.
 *
 * Each method is a generator that gives the number of records it has dealt with, now and then. The records were held against
 * each other by an earlier reading; what would lie outside of the files here is another file's.
 */
export class RowImport {
  private readonly blocks: Spool;
  private readonly images: Buckets;
  private readonly liteHeight: number;
  private outputs: { readonly amount: bigint; readonly spool: Spool; count: number; height: number } | undefined;

  constructor(
    private readonly writer: ChainWriter,
    private readonly header: Pick<SnapshotHeader, 'liteHeight' | 'keyOutputRecords'>,
    private readonly folder: string,
  ) {
    this.liteHeight = header.liteHeight;
    this.blocks = new Spool(join(folder, 'blocks'), BLOCK_BYTES);
    this.images = new Buckets(folder, BUCKETS, IMAGE_BYTES);
  }

  /** @throws SnapshotRefused */
  putBlock(block: SnapshotBlock): void {
    if (block.height >= this.liteHeight) throw changedMeanwhile();
    const record = Buffer.allocUnsafe(BLOCK_BYTES);
    block.hash.copy(record);
    record.writeBigUInt64LE(block.timestamp, 32);
    record.writeUInt32LE(block.size, 40);
    record.writeBigUInt64LE(block.cumulativeDifficulty, 44);
    record.writeBigUInt64LE(block.generatedCoins, 52);
    record.writeBigUInt64LE(block.generatedTransactions, 60);
    this.blocks.put(block.height, record);
  }

  /** @throws SnapshotRefused */
  putImage({ image, height }: SnapshotImage): void {
    if (height >= this.liteHeight) throw changedMeanwhile();
    const record = Buffer.allocUnsafe(IMAGE_BYTES);
    record.writeUInt32BE(height);
    image.copy(record, 4);
    this.images.put(Math.floor((height * BUCKETS) / this.liteHeight), record);
  }

  /** Blocks and key images have all come: they are written. @returns records */
  *writeBlocks(): Generator<number, void> {
    const images = this.sortedImages();
    let image = images.next();
    let written = 0;
    let previous = this.block(0);
    for (let start = 1; start < this.liteHeight;) {
      const blocks: BlockFacts[] = [];
      const spent: SnapshotImage[] = [];
      for (; start < this.liteHeight && blocks.length + spent.length < ROWS_A_CHANGE; start++) {
        const block = this.block(start);
        blocks.push(factsOf(block, previous));
        for (; image.done !== true && image.value.height <= start; image = images.next()) spent.push(image.value);
        previous = block;
      }
      this.writer.importStep((rows) => putChain(rows, blocks, spent));
      written += blocks.length + spent.length;
      yield written;
    }
  }

  /** An output; those of one amount come together. @returns rows written, when an amount is whole */
  *putOutput(output: SnapshotOutput): Generator<number, void> {
    if (BigInt(output.index) >= this.header.keyOutputRecords) throw changedMeanwhile();
    if (this.outputs?.amount !== output.amount) {
      yield* this.endAmount();
      this.outputs = {
        amount: output.amount,
        spool: new Spool(join(this.folder, 'outputs'), OUTPUT_BYTES),
        count: 0,
        height: 0,
      };
    }
    const record = Buffer.allocUnsafe(OUTPUT_BYTES);
    output.key.copy(record);
    record.writeBigUInt64LE(output.unlockTime, 32);
    record.writeUInt16LE(output.position, 40);
    record.writeUInt32LE(output.height, 42);
    this.outputs.spool.put(output.index, record);
    this.outputs.count++;
  }

  /** After the last output. */
  *endAmount(): Generator<number, void> {
    if (this.outputs === undefined) return;
    const { amount, spool, count } = this.outputs;
    for (let start = 0; start < count; start += ROWS_A_CHANGE) {
      const records = spool.read(start, Math.min(start + ROWS_A_CHANGE, count));
      this.outputs.height = assertRising(amount, this.outputs.height, records);
      this.writer.importStep((rows) => putOutputs(rows, amount, records));
      yield records.length / OUTPUT_BYTES;
    }
    spool.close();
    this.outputs = undefined;
  }

  close(): void {
    this.blocks.close();
    this.images.close();
    this.outputs?.spool.close();
  }

  private *sortedImages(): Generator<SnapshotImage, void> {
    for (const records of this.images.sorted()) {
      for (const record of records) yield { height: record.readUInt32BE(), image: record.subarray(4) };
    }
  }

  private block(height: number): SnapshotBlock {
    const record = this.blocks.read(height, height + 1);
    if (record.length < BLOCK_BYTES) throw changedMeanwhile();
    return {
      height,
      hash: record.subarray(0, 32),
      timestamp: record.readBigUInt64LE(32),
      size: record.readUInt32LE(40),
      cumulativeDifficulty: record.readBigUInt64LE(44),
      generatedCoins: record.readBigUInt64LE(52),
      generatedTransactions: record.readBigUInt64LE(60),
    };
  }
}

/** The versions are not in a snapshot; the node answers 0 for them. */
function factsOf(block: SnapshotBlock, previous: SnapshotBlock): BlockFacts {
  return {
    height: block.height,
    hash: block.hash,
    majorVersion: 0,
    minorVersion: 0,
    timestamp: Number(block.timestamp),
    size: block.size,
    difficulty: block.cumulativeDifficulty - previous.cumulativeDifficulty,
    cumulativeDifficulty: block.cumulativeDifficulty,
    generatedCoins: block.generatedCoins,
    generatedTransactions: Number(block.generatedTransactions),
  };
}

/** Images ascend by height, as the blocks do. */
function putChain(rows: ImportedRows, blocks: readonly BlockFacts[], spent: readonly SnapshotImage[]): void {
  for (const facts of blocks) rows.putBlock(facts);
  for (const { image, height } of spent) rows.keyImages.put(image, height);
}

/** Among outputs of one amount the height never falls. @returns that of the last @throws SnapshotRefused */
function assertRising(amount: bigint, before: number, records: Buffer): number {
  let last = before;
  for (let at = 42; at < records.length; at += OUTPUT_BYTES) {
    const height = records.readUInt32LE(at);
    if (height < last) {
      throw new SnapshotRefused(`The snapshot's outputs of amount ${amount} are not in the order of their blocks.`);
    }
    last = height;
  }
  return last;
}

function putOutputs(rows: ImportedRows, amount: bigint, records: Buffer): void {
  for (let at = 0; at < records.length; at += OUTPUT_BYTES) {
    const height = records.readUInt32LE(at + 42);
    if (height === 0) continue;
    const unlockTime = records.readBigUInt64LE(at + 32);
    rows.putOutput(amount, toSigned(unlockTime), {
      key: records.subarray(at, at + 32),
      height,
      unlockLow: records.readUInt32LE(at + 32),
      unlockHigh: records.readUInt32LE(at + 36),
      position: records.readUInt16LE(at + 40),
    });
  }
}
