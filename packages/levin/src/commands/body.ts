import { DecodeError } from '@wrkz/core-types';
import { BodyError } from '../body-error';
import {
  decodeKv,
  encodeKv,
  kv,
  kvByteItems,
  kvBytes,
  kvObject,
  kvObjects,
  kvPacked,
  kvUint32,
  kvUint64,
  type KvSection,
  type KvShape,
  type KvValue,
} from '../kv';

const HASH_SIZE = 32;
const EMPTY: KvSection = new Map();

/** Max nesting. The deepest valid message contains a list of blocks. */
const MAX_DEPTH = 8;
/**
 * Max values in a body of this size. A transaction has at least 105 bytes and is one value, a block has about 100 bytes and is
 * three; the constant leaves space for other and short fields (docs/protocol/p2p.md#key-value-format).
 */
const valuesOf = (bytes: number): number => 10_000 + Math.floor(bytes / 100);

/**
 * Builds a body field by field, in call order. Omits empty lists, like the reference
 * (docs/protocol/p2p.md#key-value-format).
 */
export class BodyWriter {
  private readonly fields = new Map<string, KvValue>();

  uint8(name: string, value: number): this {
    return this.set(name, kv.uint8(value));
  }

  uint32(name: string, value: number): this {
    return this.set(name, kv.uint32(value));
  }

  uint64(name: string, value: bigint): this {
    return this.set(name, kv.uint64(value));
  }

  /** Also written if empty. */
  string(name: string, value: Buffer): this {
    return this.set(name, kv.string(value));
  }

  blob(name: string, value: Buffer): this {
    return this.set(name, kv.blob(value));
  }

  hashes(name: string, values: readonly Buffer[]): this {
    return this.blob(name, Buffer.concat(values));
  }

  strings(name: string, values: readonly Buffer[]): this {
    return this.set(name, kv.array('string', values.map(kv.string)));
  }

  object(name: string, body: BodyWriter): this {
    return this.set(name, { type: 'object', value: body.fields });
  }

  objects(name: string, bodies: readonly BodyWriter[]): this {
    const items = bodies.map((body): KvValue => ({ type: 'object', value: body.fields }));
    return this.set(name, kv.array('object', items));
  }

  finish(): Buffer {
    return encodeKv(this.fields);
  }

  private set(name: string, value: KvValue | undefined): this {
    if (value !== undefined) this.fields.set(name, value);
    return this;
  }
}

/**
 * Reads the fields of a body by name, in any order; unknown names are ignored. A missing number is 0, a missing list or string is
 * empty, like in the reference; a value of another kind or size throws BodyError.
 */
export class BodyReader {
  private constructor(private readonly section: KvSection) {}

  /**
   * Parses the fields of `shape` and skips all others.
   * @throws BodyError if the bytes are not a key-value section, or a field has another kind
   */
  static of(bytes: Buffer, shape: KvShape): BodyReader {
    const limits = { maxDepth: MAX_DEPTH, maxValues: valuesOf(bytes.length), shape };
    return new BodyReader(guard(() => decodeKv(bytes, limits)));
  }

  has(name: string): boolean {
    return this.section.has(name);
  }

  uint8(name: string): number {
    return guard(() => kvUint32(this.section, name, 8)) ?? 0;
  }

  uint32(name: string): number {
    return guard(() => kvUint32(this.section, name)) ?? 0;
  }

  uint64(name: string): bigint {
    return guard(() => kvUint64(this.section, name)) ?? 0n;
  }

  string(name: string): Buffer {
    return guard(() => kvBytes(this.section, name)) ?? Buffer.alloc(0);
  }

  /** Exactly `size` bytes; zeros if the field is missing. */
  fixed(name: string, size: number): Buffer {
    return guard(() => kvBytes(this.section, name, size)) ?? Buffer.alloc(size);
  }

  hashes(name: string): Buffer[] {
    return guard(() => kvPacked(this.section, name, HASH_SIZE));
  }

  /** Concatenated hashes, without copies. Their number is the length / 32. */
  packedHashes(name: string): Buffer {
    const bytes = this.string(name);
    if (bytes.length % HASH_SIZE !== 0) throw new BodyError(`field ${name} is not made of ${HASH_SIZE} bytes each`);
    return bytes;
  }

  strings(name: string): Buffer[] {
    return guard(() => kvByteItems(this.section, name));
  }

  /** A missing object counts as empty. */
  object(name: string): BodyReader {
    return new BodyReader(guard(() => kvObject(this.section, name)) ?? EMPTY);
  }

  objects(name: string): BodyReader[] {
    return guard(() => kvObjects(this.section, name)).map((section) => new BodyReader(section));
  }
}

function guard<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw new BodyError(error.message);
    throw error;
  }
}
