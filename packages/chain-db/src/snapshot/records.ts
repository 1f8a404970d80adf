import { SnapshotRefused } from './errors';
import {
  BLOCK_KEY,
  BLOCK_VALUE,
  IMAGE_KEY,
  IMAGE_VALUE,
  type RecordLayout,
  OUTPUT_KEY,
  OUTPUT_VALUE,
  type Slot,
  TABLE_BYTES,
} from './layout';

/** What a snapshot says of a block. */
export interface SnapshotBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: bigint;
  readonly size: number;
  readonly cumulativeDifficulty: bigint;
  readonly generatedCoins: bigint;
  readonly generatedTransactions: bigint;
}

/** A spent key image and the block that spent it. */
export interface SnapshotImage {
  readonly image: Buffer;
  readonly height: number;
}

/** An output; the hash of its transaction, which files of the known programs leave out, is not kept. */
export interface SnapshotOutput {
  readonly amount: bigint;
  readonly index: number;
  readonly key: Buffer;
  readonly unlockTime: bigint;
  readonly position: number;
  readonly height: number;
}

export type SnapshotRecord =
  | { readonly table: 'block'; readonly block: SnapshotBlock }
  | { readonly table: 'image'; readonly image: SnapshotImage }
  | { readonly table: 'output'; readonly output: SnapshotOutput };

/** Key and value of one record; both are overwritten by the next of the same encoder. */
export interface EncodedRecord {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Puts records into the layouts of the C++ database. */
export class RecordEncoder {
  private readonly block = copies(BLOCK_KEY, BLOCK_VALUE);
  private readonly image = copies(IMAGE_KEY, IMAGE_VALUE);
  private readonly output = copies(OUTPUT_KEY, OUTPUT_VALUE);

  encodeBlock(block: SnapshotBlock): EncodedRecord {
    const { key, value } = this.block;
    const { slots } = BLOCK_VALUE;
    key.writeUInt32LE(block.height, BLOCK_KEY.slots.height.start);
    block.hash.copy(value, slots.hash.start);
    value.writeBigUInt64LE(block.timestamp, slots.timestamp.start);
    value.writeUInt32LE(block.size, slots.size.start);
    value.writeBigUInt64LE(block.cumulativeDifficulty, slots.cumulativeDifficulty.start);
    value.writeBigUInt64LE(block.generatedCoins, slots.generatedCoins.start);
    value.writeBigUInt64LE(block.generatedTransactions, slots.generatedTransactions.start);
    return this.block;
  }

  encodeImage({ image, height }: SnapshotImage): EncodedRecord {
    image.copy(this.image.key, IMAGE_KEY.slots.image.start);
    this.image.value.writeUInt32LE(height, IMAGE_VALUE.slots.height.start);
    return this.image;
  }

  encodeOutput(output: SnapshotOutput): EncodedRecord {
    const { key, value } = this.output;
    const { slots } = OUTPUT_VALUE;
    key.writeBigUInt64LE(output.amount, OUTPUT_KEY.slots.amount.start);
    key.writeUInt32LE(output.index, OUTPUT_KEY.slots.index.start);
    output.key.copy(value, slots.key.start);
    value.writeBigUInt64LE(output.unlockTime, slots.unlockTime.start);
    value.writeUInt16LE(output.position, slots.position.start);
    value.writeUInt32LE(output.height, slots.height.start);
    return this.output;
  }
}

/** Buffers of the result are views of the record's. @throws SnapshotRefused */
export function decodeRecord(key: Buffer, value: Buffer): SnapshotRecord {
  if (isOf(BLOCK_KEY, key)) {
    assertLayout(BLOCK_KEY, key, BLOCK_VALUE, value, 'block info');
    return { table: 'block', block: decodeBlock(key, value) };
  }
  if (isOf(IMAGE_KEY, key)) {
    assertLayout(IMAGE_KEY, key, IMAGE_VALUE, value, 'key image');
    const height = value.readUInt32LE(IMAGE_VALUE.slots.height.start);
    return { table: 'image', image: { image: part(key, IMAGE_KEY.slots.image), height } };
  }
  if (isOf(OUTPUT_KEY, key)) {
    assertLayout(OUTPUT_KEY, key, OUTPUT_VALUE, value, 'key output');
    return { table: 'output', output: decodeOutput(key, value) };
  }
  throw new SnapshotRefused('The snapshot holds a record belonging to no table a snapshot may carry. Refusing it.');
}

function decodeBlock(key: Buffer, value: Buffer): SnapshotBlock {
  const { slots } = BLOCK_VALUE;
  return {
    height: key.readUInt32LE(BLOCK_KEY.slots.height.start),
    hash: part(value, slots.hash),
    timestamp: value.readBigUInt64LE(slots.timestamp.start),
    size: value.readUInt32LE(slots.size.start),
    cumulativeDifficulty: value.readBigUInt64LE(slots.cumulativeDifficulty.start),
    generatedCoins: value.readBigUInt64LE(slots.generatedCoins.start),
    generatedTransactions: value.readBigUInt64LE(slots.generatedTransactions.start),
  };
}

function decodeOutput(key: Buffer, value: Buffer): SnapshotOutput {
  const { slots } = OUTPUT_VALUE;
  return {
    amount: key.readBigUInt64LE(OUTPUT_KEY.slots.amount.start),
    index: key.readUInt32LE(OUTPUT_KEY.slots.index.start),
    key: part(value, slots.key),
    unlockTime: value.readBigUInt64LE(slots.unlockTime.start),
    position: value.readUInt16LE(slots.position.start),
    height: value.readUInt32LE(slots.height.start),
  };
}

const part = (bytes: Buffer, { start, end }: Slot): Buffer => bytes.subarray(start, end);

const copies = (key: RecordLayout<string>, value: RecordLayout<string>): EncodedRecord => ({
  key: Buffer.from(key.template),
  value: Buffer.from(value.template),
});

const isOf = ({ template }: RecordLayout<string>, key: Buffer): boolean =>
  key.length >= TABLE_BYTES && template.compare(key, 0, TABLE_BYTES, 0, TABLE_BYTES) === 0;

function assertLayout(
  keyLayout: RecordLayout<string>,
  key: Buffer,
  valueLayout: RecordLayout<string>,
  value: Buffer,
  name: string,
): void {
  if (keyLayout.fits(key) && valueLayout.fits(value)) return;
  throw new SnapshotRefused(
    `The snapshot holds a ${name} record that is not in the layout the C++ node writes. Refusing it.`,
  );
}
