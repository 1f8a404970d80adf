import { DecodeError } from '@wrkz/core-types';
import { BodyError } from '../body-error';
import {
  decodeKv,
  encodeKv,
  kv,
  kvByteItems,
  kvBytes,
  type KvField,
  kvObject,
  kvObjects,
  kvPacked,
  type KvSection,
  type KvShape,
  kvUint32,
  kvUint64,
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
const valuesOf = (size: number): number => 10_000 + Math.floor(size / 100);

/**
 * How a field of a message is stored in a body. Like in the reference, empty lists are not written, a missing number is 0, and a
 * missing list or string is empty (docs/protocol/p2p.md#key-value-format).
 */
export interface Field<T> {
  readonly shape: KvField;
  /** Undefined: the field is not written. */
  readonly write: (value: T) => KvValue | undefined;
  /** @throws DecodeError for a value of another kind or size */
  readonly read: (section: KvSection, name: string) => T;
}

export const uint8Field: Field<number> = {
  shape: 'one',
  write: kv.uint8,
  read: (section, name) => kvUint32(section, name, 8) ?? 0,
};

export const uint32Field: Field<number> = {
  shape: 'one',
  write: kv.uint32,
  read: (section, name) => kvUint32(section, name) ?? 0,
};

export const uint64Field: Field<bigint> = {
  shape: 'one',
  write: kv.uint64,
  read: (section, name) => kvUint64(section, name) ?? 0n,
};

/** Also written if empty. */
export const bytes: Field<Buffer> = {
  shape: 'one',
  write: kv.string,
  read: (section, name) => kvBytes(section, name) ?? Buffer.alloc(0),
};

/** Exactly `size` bytes; zeros if the field is missing. */
export function fixed(size: number): Field<Buffer> {
  return { ...bytes, read: (section, name) => kvBytes(section, name, size) ?? Buffer.alloc(size) };
}

export const strings: Field<readonly Buffer[]> = {
  shape: 'many',
  write: (values) => kv.array('string', values.map(kv.string)),
  read: kvByteItems,
};

/** One string with 32 bytes per hash. */
export const hashes: Field<readonly Buffer[]> = {
  shape: 'one',
  write: (values) => kv.blob(Buffer.concat(values)),
  read: (section, name) => kvPacked(section, name, HASH_SIZE),
};

/** Concatenated hashes, without copies. Their number is the length / 32. */
export const packedHashes: Field<Buffer> = {
  shape: 'one',
  write: kv.blob,
  read: (section, name) => {
    const packed = bytes.read(section, name);
    if (packed.length % HASH_SIZE === 0) return packed;
    throw new DecodeError(`field ${name} is not made of ${HASH_SIZE} bytes each`);
  },
};

/** Undefined while the field is missing. */
export function optional<T>({ shape, write, read }: Field<T>): Field<T | undefined> {
  return {
    shape,
    write: (value) => (value === undefined ? undefined : write(value)),
    read: (section, name) => (section.has(name) ? read(section, name) : undefined),
  };
}

/** The fields of an object, by the property of the message, in the order in which they are written. */
export type MessageFields<T> = { readonly [Key in keyof T]-?: readonly [name: string, field: Field<T[Key]>] };

interface ObjectField<T> extends Field<T> {
  readonly shape: KvShape;
  readonly write: (value: T) => KvValue;
  readonly toSection: (value: T) => KvSection;
  readonly fromSection: (section: KvSection) => T;
}

/** An object; a missing one counts as empty. Fields are read by name, in any order; unknown names are ignored. */
export function object<T>(fields: MessageFields<T>): ObjectField<T> {
  const rows = Object.entries(fields) as [keyof T, MessageFields<T>[keyof T]][];
  const toSection = (value: T): KvSection =>
    kv.section(Object.fromEntries(rows.map(([key, [name, field]]) => [name, field.write(value[key])])));
  const fromSection = (section: KvSection): T =>
    Object.fromEntries(rows.map(([key, [name, field]]) => [key, field.read(section, name)])) as T;
  return {
    shape: Object.fromEntries(rows.map(([, [name, field]]) => [name, field.shape])),
    toSection,
    fromSection,
    write: (value) => ({ type: 'object', value: toSection(value) }),
    read: (section, name) => fromSection(kvObject(section, name) ?? EMPTY),
  };
}

export function objects<T>({ shape, write, fromSection }: ObjectField<T>): Field<readonly T[]> {
  return {
    shape: [shape],
    write: (values) => kv.array('object', values.map(write)),
    read: (section, name) => kvObjects(section, name).map(fromSection),
  };
}

/** Encoder and decoder of a body. */
export interface Message<T> {
  readonly encode: (message: T) => Buffer;
  /** @throws BodyError if the bytes are not a key-value section, or a field has another kind */
  readonly decode: (body: Buffer) => T;
}

export function message<T>(fields: MessageFields<T>): Message<T> {
  const { shape, toSection, fromSection } = object(fields);
  return {
    encode: (value) => encodeKv(toSection(value)),
    decode: (body) => {
      try {
        return fromSection(decodeKv(body, { maxDepth: MAX_DEPTH, maxValues: valuesOf(body.length), shape }));
      } catch (error) {
        throw error instanceof DecodeError ? new BodyError(error.message) : error;
      }
    },
  };
}
