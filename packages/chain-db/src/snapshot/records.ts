import { SnapshotRefused } from '../errors';
import type { SpentKeyImage } from '../key-images';

/**
 * Records of a snapshot: documents of the peers' key-value format, as the C++ database stores them
 * (docs/protocol/snapshot.md#records). All records of a table are equal but for a few fields at fixed offsets.
 */

export interface SnapshotBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: bigint;
  readonly size: number;
  readonly cumulativeDifficulty: bigint;
  readonly generatedCoins: bigint;
  readonly generatedTransactions: bigint;
}

/** An output. The transaction hash is not part of it: the known programs write zeros. */
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
  | { readonly table: 'image'; readonly image: SpentKeyImage }
  | { readonly table: 'output'; readonly output: SnapshotOutput };

export interface EncodedRecord {
  readonly key: Buffer;
  readonly value: Buffer;
}

const SIGNATURE = [0x01, 0x11, 0x01, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01];
/** Bytes at the start of a key that identify its table. */
const TABLE_BYTES = SIGNATURE.length + 3;

/** Type bytes of the key-value format. */
const TYPE = { u64: 0x05, u32: 0x06, u16: 0x07, text: 0x0a, section: 0x0c } as const;
const WIDTH = { u64: 8, u32: 4, u16: 2, hash: 32 } as const;
type Kind = keyof typeof WIDTH;

/** A field of a record: bytes [start, end). */
interface Slot {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

type FieldValue = number | bigint | Buffer;

/** The template of a record, with zeros in its slots. */
class RecordLayout<Name extends string = string> {
  /** The bytes between the slots. */
  private readonly fixed: readonly { readonly start: number; readonly bytes: Buffer }[];

  constructor(
    private readonly template: Buffer,
    readonly slots: Readonly<Record<Name, Slot>>,
  ) {
    const list = Object.values<Slot>(slots);
    const starts = [0, ...list.map(({ end }) => end)];
    this.fixed = starts
      .map((start, i) => ({ start, bytes: template.subarray(start, list[i]?.start ?? template.length) }))
      .filter(({ bytes }) => bytes.length > 0);
  }

  get length(): number {
    return this.template.length;
  }

  isTableOf(key: Buffer): boolean {
    return key.length >= TABLE_BYTES && this.template.compare(key, 0, TABLE_BYTES, 0, TABLE_BYTES) === 0;
  }

  fits(bytes: Buffer): boolean {
    return (
      bytes.length === this.length &&
      this.fixed.every(({ start, bytes: wanted }) => wanted.compare(bytes, start, start + wanted.length) === 0)
    );
  }

  /** Slots without a value stay zero. */
  encode(values: Readonly<Partial<Record<Name, FieldValue>>>): Buffer {
    const bytes = Buffer.from(this.template);
    for (const name in this.slots) {
      const { kind, start } = this.slots[name];
      const value = values[name];
      if (value === undefined) continue;
      if (kind === 'hash') (value as Buffer).copy(bytes, start);
      else if (kind === 'u64') bytes.writeBigUInt64LE(value as bigint, start);
      else bytes.writeUIntLE(value as number, start, WIDTH[kind]);
    }
    return bytes;
  }

  read(bytes: Buffer, name: Name): number {
    const { kind, start } = this.slots[name];
    return bytes.readUIntLE(start, WIDTH[kind]);
  }

  readU64(bytes: Buffer, name: Name): bigint {
    return bytes.readBigUInt64LE(this.slots[name].start);
  }

  /** A view of the 32 bytes. */
  readHash(bytes: Buffer, name: Name): Buffer {
    const { start, end } = this.slots[name];
    return bytes.subarray(start, end);
  }
}

const text = (name: string): number[] => [name.length, ...Buffer.from(name, 'latin1')];
const table = (letter: string): number[] => [...SIGNATURE, 1 << 2, ...text(letter), TYPE.section];
/** A key consists of the letter of its table, the letter as text, and the actual key. */
const keyHead = (letter: string): number[] => [
  ...[...table(letter), 2 << 2, ...text('first')],
  ...[TYPE.text, 1 << 2, letter.charCodeAt(0)],
];

/** @param fields slot name, name in the document, and type, in document order */
function layout<Name extends string>(
  head: readonly number[],
  fields: readonly (readonly [slot: Name, name: string, kind: Kind])[],
): RecordLayout<Name> {
  const bytes = [...head];
  const slots: Partial<Record<Name, Slot>> = {};
  for (const [slot, name, kind] of fields) {
    bytes.push(...text(name), ...(kind === 'hash' ? [TYPE.text, WIDTH.hash << 2] : [TYPE[kind]]));
    slots[slot] = { kind, start: bytes.length, end: bytes.length + WIDTH[kind] };
    for (let i = 0; i < WIDTH[kind]; i++) bytes.push(0);
  }
  return new RecordLayout(Buffer.from(bytes), slots as Record<Name, Slot>);
}

export const BLOCK_KEY = layout(keyHead('6'), [['height', 'second', 'u32']]);
export const BLOCK_VALUE = layout(
  [...table('6'), 6 << 2],
  [
    ['hash', 'block_hash', 'hash'],
    ['timestamp', 'timestamp', 'u64'],
    ['size', 'block_size', 'u32'],
    ['cumulativeDifficulty', 'cumulative_difficulty', 'u64'],
    ['generatedCoins', 'already_generated_coins', 'u64'],
    ['generatedTransactions', 'already_generated_transaction_count', 'u64'],
  ],
);
export const IMAGE_KEY = layout(keyHead('7'), [['image', 'second', 'hash']]);
export const IMAGE_VALUE = layout([...SIGNATURE, 1 << 2], [['height', '7', 'u32']]);
export const OUTPUT_KEY = layout(
  [...keyHead('j'), ...text('second'), TYPE.section, 2 << 2],
  [
    ['amount', 'first', 'u64'],
    ['index', 'second', 'u32'],
  ],
);
export const OUTPUT_VALUE = layout(
  [...table('j'), 5 << 2],
  [
    ['key', 'public_key', 'hash'],
    ['transactionHash', 'transaction_hash', 'hash'],
    ['unlockTime', 'unlock_time', 'u64'],
    ['position', 'output_index', 'u16'],
    ['height', 'block_index', 'u32'],
  ],
);

export function encodeRecord(record: SnapshotRecord): EncodedRecord {
  if (record.table === 'block') return { key: BLOCK_KEY.encode(record.block), value: BLOCK_VALUE.encode(record.block) };
  if (record.table === 'image') return { key: IMAGE_KEY.encode(record.image), value: IMAGE_VALUE.encode(record.image) };
  return { key: OUTPUT_KEY.encode(record.output), value: OUTPUT_VALUE.encode(record.output) };
}

/** Buffers in the result are views of key and value. @throws SnapshotRefused */
export function decodeRecord(key: Buffer, value: Buffer): SnapshotRecord {
  if (BLOCK_KEY.isTableOf(key)) {
    assertLayout(BLOCK_KEY.fits(key) && BLOCK_VALUE.fits(value), 'block info');
    return { table: 'block', block: decodeBlock(key, value) };
  }
  if (IMAGE_KEY.isTableOf(key)) {
    assertLayout(IMAGE_KEY.fits(key) && IMAGE_VALUE.fits(value), 'key image');
    const image = { image: IMAGE_KEY.readHash(key, 'image'), height: IMAGE_VALUE.read(value, 'height') };
    return { table: 'image', image };
  }
  if (OUTPUT_KEY.isTableOf(key)) {
    assertLayout(OUTPUT_KEY.fits(key) && OUTPUT_VALUE.fits(value), 'key output');
    return { table: 'output', output: decodeOutput(key, value) };
  }
  throw new SnapshotRefused('The snapshot holds a record belonging to no table a snapshot may carry. Refusing it.');
}

function decodeBlock(key: Buffer, value: Buffer): SnapshotBlock {
  return {
    height: BLOCK_KEY.read(key, 'height'),
    hash: BLOCK_VALUE.readHash(value, 'hash'),
    timestamp: BLOCK_VALUE.readU64(value, 'timestamp'),
    size: BLOCK_VALUE.read(value, 'size'),
    cumulativeDifficulty: BLOCK_VALUE.readU64(value, 'cumulativeDifficulty'),
    generatedCoins: BLOCK_VALUE.readU64(value, 'generatedCoins'),
    generatedTransactions: BLOCK_VALUE.readU64(value, 'generatedTransactions'),
  };
}

function decodeOutput(key: Buffer, value: Buffer): SnapshotOutput {
  return {
    amount: OUTPUT_KEY.readU64(key, 'amount'),
    index: OUTPUT_KEY.read(key, 'index'),
    key: OUTPUT_VALUE.readHash(value, 'key'),
    unlockTime: OUTPUT_VALUE.readU64(value, 'unlockTime'),
    position: OUTPUT_VALUE.read(value, 'position'),
    height: OUTPUT_VALUE.read(value, 'height'),
  };
}

function assertLayout(fits: boolean, name: string): void {
  if (fits) return;
  throw new SnapshotRefused(
    `The snapshot holds a ${name} record that is not in the layout the C++ node writes. Refusing it.`,
  );
}

/**
 * The numbers 0 to `count` - 1 in the order of their little-endian bytes: keys hold little-endian numbers and are sorted as
 * bytes.
 * @param count at most 2^32
 */
export function* littleEndianOrder(count: number): Generator<number, void> {
  for (let first = 0; first < 0x100 && first < count; first++) {
    for (let second = first; second < 0x1_0000 && second < count; second += 0x100) {
      for (let third = second; third < 0x100_0000 && third < count; third += 0x1_0000) {
        for (let value = third; value < count; value += 0x100_0000) yield value;
      }
    }
  }
}

/** Unsigned 64-bit numbers in the order of their little-endian bytes. */
export function sortLittleEndian(values: readonly bigint[]): bigint[] {
  const keys = values.map((value) => {
    const key = Buffer.alloc(8);
    key.writeBigUInt64LE(value);
    return key;
  });
  return keys.sort((a, b) => a.compare(b)).map((key) => key.readBigUInt64LE());
}
