import { BinaryReader, DecodeError } from '@wrkz/core-types';
import {
  KV_ARRAY_FLAG,
  KV_HEADER,
  type KvItemType,
  kvMinimumSizes,
  type KvSection,
  kvTypeCodes,
  type KvValue,
} from './model';

/** What a message may ask of the decoder (lesson L20): the bytes themselves are limited by who receives them. */
export interface KvLimits {
  /** Objects inside objects. */
  readonly maxDepth: number;
  /** Values in the whole message, objects and items of arrays included. */
  readonly maxValues: number;
}

export const defaultKvLimits: KvLimits = { maxDepth: 16, maxValues: 250_000 };

const typesByCode: ReadonlyMap<number, KvItemType> = new Map(
  Object.entries(kvTypeCodes).map(([type, code]) => [code, type as KvItemType]),
);
/** A name's length, the type and a value. */
const MIN_ENTRY_SIZE = 3;

class KvDecoder {
  private readonly reader: BinaryReader;
  private valuesLeft: number;

  constructor(
    bytes: Uint8Array,
    private readonly limits: KvLimits,
  ) {
    this.reader = new BinaryReader(bytes);
    this.valuesLeft = limits.maxValues;
  }

  message(): KvSection {
    if (!this.reader.bytes(KV_HEADER.length).equals(KV_HEADER)) throw new DecodeError('not a key-value message');
    const section = this.section(this.limits.maxDepth);
    this.reader.done();
    return section;
  }

  /** The format's own integer: the two low bits tell how many bytes it has. */
  private size(): number {
    const { reader } = this;
    const first = reader.byte();
    const width = 1 << (first & 3);
    reader.offset--;
    const bytes = reader.bytes(width);
    if (width === 8) {
      const value = bytes.readBigUInt64LE(0) >> 2n;
      if (value > BigInt(reader.remaining)) throw new DecodeError('more declared than the data can hold');
      return Number(value);
    }
    return bytes.readUIntLE(0, width) >>> 2;
  }

  /** A declared count, before anything is made for it. */
  private count(minimumSize: number): number {
    const count = this.size();
    if (count * minimumSize > this.reader.remaining) throw new DecodeError('more declared than the data can hold');
    this.valuesLeft -= count;
    if (this.valuesLeft < 0) throw new DecodeError('too many values');
    return count;
  }

  private section(depthLeft: number): KvSection {
    if (depthLeft <= 0) throw new DecodeError('objects nested too deep');
    const section = new Map<string, KvValue>();
    for (let left = this.count(MIN_ENTRY_SIZE); left > 0; left--) {
      const name = this.reader.bytes(this.reader.byte()).toString('latin1');
      if (section.has(name)) throw new DecodeError('a name stands twice in one object');
      section.set(name, this.entry(depthLeft));
    }
    return section;
  }

  private entry(depthLeft: number): KvValue {
    const code = this.reader.byte();
    const type = typesByCode.get(code & ~KV_ARRAY_FLAG);
    if (type === undefined) throw new DecodeError(`unknown type ${code}`);
    if ((code & KV_ARRAY_FLAG) === 0) return this.value(type, depthLeft);
    const items: KvValue[] = [];
    for (let left = this.count(kvMinimumSizes[type]); left > 0; left--) items.push(this.value(type, depthLeft));
    return { type: 'array', of: type, items };
  }

  private value(type: KvItemType, depthLeft: number): KvValue {
    const { reader } = this;
    switch (type) {
      case 'uint64':
        return { type, value: reader.bytes(8).readBigUInt64LE(0) };
      case 'int64':
        return { type, value: reader.bytes(8).readBigInt64LE(0) };
      case 'uint32':
      case 'uint16':
      case 'uint8':
        return { type, value: reader.bytes(kvMinimumSizes[type]).readUIntLE(0, kvMinimumSizes[type]) };
      case 'int32':
      case 'int16':
      case 'int8':
        return { type, value: reader.bytes(kvMinimumSizes[type]).readIntLE(0, kvMinimumSizes[type]) };
      case 'double':
        return { type, value: reader.bytes(8).readDoubleLE(0) };
      case 'bool':
        return { type, value: reader.byte() !== 0 };
      case 'string':
        return { type, value: reader.bytes(this.size()) };
      case 'object':
        return { type, value: this.section(depthLeft - 1) };
    }
  }
}

/** A whole message. Throws DecodeError; strings are views of `bytes`. */
export function decodeKv(bytes: Uint8Array, limits: Partial<KvLimits> = {}): KvSection {
  return new KvDecoder(bytes, { ...defaultKvLimits, ...limits }).message();
}
