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

/**
 * The fields of a command. `one`: a number, a boolean, a string or raw bytes. `many`: an array of strings. An object describes an
 * object, a list with one object describes a list of such objects.
 */
export interface KvShape {
  readonly [name: string]: KvField;
}

export type KvField = 'one' | 'many' | KvShape | readonly [KvShape];

function isList(field: KvShape | readonly [KvShape]): field is readonly [KvShape] {
  return Array.isArray(field);
}

/** The description of a field in an error. */
function fieldKind(field: KvField): string {
  if (field === 'one') return 'a single value';
  if (field === 'many') return 'a list of strings';
  return isList(field) ? 'a list of objects' : 'an object';
}

/**
 * Limits of the decoder (docs/protocol/lessons.md#allocation-from-declared-lengths). The receiver limits the number of bytes.
 */
export interface KvLimits {
  /** Max nesting of objects. */
  readonly maxDepth: number;
  /** Max values in the message, including objects and array items. */
  readonly maxValues: number;
  /**
   * The fields to decode. Other fields are skipped without creating values, and a field of the wrong kind is rejected before it
   * is decoded. Without a shape everything is decoded.
   */
  readonly shape?: KvShape;
  /** Max skipped values that are not in the shape; an array of numbers counts as one. */
  readonly maxIgnored: number;
  /** Counts the work, for tests. */
  readonly meter?: KvMeter;
}

/** Number of created and of skipped values. */
export interface KvMeter {
  made: number;
  ignored: number;
}

/** Future versions may send a few unknown fields; a higher number indicates an attack. */
export const defaultKvLimits: KvLimits = { maxDepth: 16, maxValues: 250_000, maxIgnored: 1_000 };

const typesByCode: ReadonlyMap<number, KvItemType> = new Map(
  Object.entries(kvTypeCodes).map(([type, code]) => [code, type as KvItemType]),
);
/** Min bytes of an entry: length of the name, type, value. */
const MIN_ENTRY_SIZE = 3;

class KvDecoder {
  private readonly reader: BinaryReader;
  private readonly meter: KvMeter;

  constructor(
    bytes: Uint8Array,
    private readonly limits: KvLimits,
  ) {
    this.reader = new BinaryReader(bytes);
    this.meter = limits.meter ?? { made: 0, ignored: 0 };
  }

  message(): KvSection {
    if (!this.reader.bytes(KV_HEADER.length).equals(KV_HEADER)) throw new DecodeError('not a key-value message');
    const section = this.section(this.limits.maxDepth, this.limits.shape);
    this.reader.done();
    return section;
  }

  /** The variable-length integer of the format: the two low bits encode the number of bytes. */
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

  /** Reads and checks a declared count before anything is allocated. */
  private count(minimumSize: number): number {
    const count = this.size();
    if (count * minimumSize > this.reader.remaining) throw new DecodeError('more declared than the data can hold');
    return count;
  }

  private make(count: number): void {
    if (this.meter.made + count > this.limits.maxValues) throw new DecodeError('too many values');
    this.meter.made += count;
  }

  private ignore(count: number): void {
    if (this.meter.ignored + count > this.limits.maxIgnored) throw new DecodeError('too many unknown values');
    this.meter.ignored += count;
  }

  private section(depthLeft: number, shape: KvShape | undefined): KvSection {
    if (depthLeft <= 0) throw new DecodeError('objects nested too deep');
    const section = new Map<string, KvValue>();
    for (let left = this.count(MIN_ENTRY_SIZE); left > 0; left--) {
      const name = this.reader.bytes(this.reader.byte()).toString('latin1');
      if (section.has(name)) throw new DecodeError('duplicate name in an object');
      const field = shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (shape !== undefined && field === undefined) this.passOver(depthLeft);
      else section.set(name, this.entry(name, depthLeft, field));
    }
    return section;
  }

  private typeOf(code: number): KvItemType {
    const type = typesByCode.get(code & ~KV_ARRAY_FLAG);
    if (type === undefined) throw new DecodeError(`unknown type ${code}`);
    return type;
  }

  private entry(name: string, depthLeft: number, field: KvField | undefined): KvValue {
    const code = this.reader.byte();
    const type = this.typeOf(code);
    const isArray = (code & KV_ARRAY_FLAG) !== 0;
    if (field !== undefined && !fits(field, type, isArray)) {
      throw new DecodeError(`field ${name} should be ${fieldKind(field)}, not ${isArray ? 'an array of ' : ''}${type}`);
    }
    const shape = shapeOf(field);
    this.make(1);
    if (!isArray) return this.value(type, depthLeft, shape);
    const count = this.count(kvMinimumSizes[type]);
    this.make(count);
    const items: KvValue[] = [];
    for (let left = count; left > 0; left--) items.push(this.value(type, depthLeft, shape));
    return { type: 'array', of: type, items };
  }

  private value(type: KvItemType, depthLeft: number, shape: KvShape | undefined): KvValue {
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
        return { type, value: this.section(depthLeft - 1, shape) };
    }
  }

  /** Skips the type and value of an entry. */
  private passOver(depthLeft: number): void {
    const code = this.reader.byte();
    const type = this.typeOf(code);
    this.ignore(1);
    if ((code & KV_ARRAY_FLAG) === 0) return this.passOverValue(type, depthLeft);
    const count = this.count(kvMinimumSizes[type]);
    if (type !== 'string' && type !== 'object') return this.step(count * kvMinimumSizes[type]);
    this.ignore(count);
    for (let left = count; left > 0; left--) this.passOverValue(type, depthLeft);
  }

  private passOverValue(type: KvItemType, depthLeft: number): void {
    if (type === 'string') {
      this.step(this.size());
    } else if (type === 'object') {
      if (depthLeft <= 1) throw new DecodeError('objects nested too deep');
      for (let left = this.count(MIN_ENTRY_SIZE); left > 0; left--) {
        this.step(this.reader.byte());
        this.passOver(depthLeft - 1);
      }
    } else {
      this.step(kvMinimumSizes[type]);
    }
  }

  private step(bytes: number): void {
    if (bytes > this.reader.remaining) throw new DecodeError('unexpected end of data');
    this.reader.offset += bytes;
  }
}

function fits(field: KvField, type: KvItemType, isArray: boolean): boolean {
  if (field === 'one') return !isArray && type !== 'object';
  if (field === 'many') return isArray && type === 'string';
  return type === 'object' && isArray === isList(field);
}

function shapeOf(field: KvField | undefined): KvShape | undefined {
  if (field === undefined || field === 'one' || field === 'many') return undefined;
  return isList(field) ? field[0] : field;
}

/** Decodes a complete message. Strings are views of `bytes`. @throws DecodeError */
export function decodeKv(bytes: Uint8Array, limits: Partial<KvLimits> = {}): KvSection {
  return new KvDecoder(bytes, { ...defaultKvLimits, ...limits }).message();
}
