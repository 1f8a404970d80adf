import { MAX_UINT64 } from '@wrkz/core-types';
import { type JsonObject, type JsonValue, stringifyJson } from '@wrkz/service-kit/base';
import type { WalletContent } from '../ledger/model';

/** JSON text in pieces. */
export type Pieces = Generator<string, void>;

type UnknownFields = WalletContent['unknownFields'];

export interface DecodeContext {
  /** Receives the fields that no table names, by the path of their object. */
  readonly unknownFields: Map<string, Readonly<Record<string, unknown>>>;
  isViewWallet: boolean;
}

/**
 * How a field is stored in the JSON of a container. Scalars are decoded and encoded at once; objects and lists, which can be
 * large, by generators. A missing field is decoded from `undefined`, and a value encoded as `undefined` is omitted.
 */
export interface ContainerField<T, Parent = unknown> {
  /** @param parent the fields of the same object that are decoded already @throws FieldError */
  readonly decode: (value: JsonValue | undefined, context: DecodeContext, parent: Parent) => T | Generator<void, T>;
  readonly encode: (value: T, unknownFields: UnknownFields, parent: Parent) => string | Pieces | undefined;
}

export interface ScalarField<T> extends ContainerField<T> {
  readonly decode: (value: JsonValue | undefined, context: DecodeContext) => T;
  readonly encode: (value: T) => string | undefined;
}

/** A field of the JSON is missing or has a wrong type. The message has the path of the field; its value may be a secret. */
export class FieldError extends Error {
  override readonly name = 'FieldError';

  constructor(
    private readonly expected: string,
    private readonly path = '',
  ) {
    super(`${path === '' ? 'the document' : path} is not ${expected}`);
  }

  /** The error with the name of the field, or the index of the list element, that has the value. */
  static within(place: string | number, error: unknown): unknown {
    return error instanceof FieldError ? new FieldError(error.expected, `/${place}${error.path}`) : error;
  }
}

const KEY = /^[0-9a-fA-F]{64}$/;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** @param parse undefined: the value is invalid */
function scalar<T>(
  expected: string,
  parse: (value: JsonValue | undefined) => T | undefined,
  encode: (value: T) => string = String,
): ScalarField<T> {
  const decode = (value: JsonValue | undefined): T => {
    const parsed = parse(value);
    if (parsed === undefined) throw new FieldError(expected);
    return parsed;
  };
  return { decode, encode };
}

function integer(min: bigint, max: bigint): ScalarField<bigint> {
  const isValid = (value: unknown): value is bigint => typeof value === 'bigint' && value >= min && value <= max;
  return scalar(`an integer of ${min} to ${max}`, (value) => (isValid(value) ? value : undefined));
}

export const unsigned64 = integer(0n, MAX_UINT64);
export const signed64 = integer(-MAX_INT64 - 1n, MAX_INT64);
export const flag = scalar('true or false', (value) => (typeof value === 'boolean' ? value : undefined));
export const text = scalar('a string', (value) => (typeof value === 'string' ? value : undefined), JSON.stringify);

/** 32 bytes as hex in either case, decoded as lower case. */
export const key = scalar(
  '32 bytes of hex',
  (value) => (typeof value === 'string' && KEY.test(value) ? value.toLowerCase() : undefined),
  (value) => `"${value}"`,
);

/** Undefined while the field is missing. */
export function optionalField<T>(field: ScalarField<T>): ScalarField<T | undefined>;
export function optionalField<T>(field: ContainerField<T>): ContainerField<T | undefined>;
export function optionalField<T>({ decode, encode }: ContainerField<T>): ContainerField<T | undefined> {
  return {
    decode: (value, context, parent) => (value === undefined ? undefined : decode(value, context, parent)),
    encode: (value, unknownFields, parent) => (value === undefined ? undefined : encode(value, unknownFields, parent)),
  };
}

/** A scalar whose value is converted after decoding and before encoding. */
export function converted<From, To>(
  { decode, encode }: ScalarField<From>,
  from: (value: From, context: DecodeContext) => To,
  to: (value: To) => From,
): ScalarField<To> {
  return {
    decode: (value, context) => from(decode(value, context), context),
    encode: (value) => encode(to(value)),
  };
}

/**
 * A height, time or index. The C++ wallets write -1 as 2^64 - 1. Values above 2^53 - 1 are read as 2^53 - 1, which is
 * also above every height.
 */
export const count = converted(unsigned64, (value) => Number(value > MAX_NUMBER ? MAX_NUMBER : value), BigInt);

/** The fields of an object, by the property of the value. They are decoded in this order and encoded sorted by name. */
type Fields<T> = { readonly [Key in keyof T]-?: readonly [name: string, field: ContainerField<T[Key], T>] };

/**
 * An object. Unknown fields are stored, so that a save writes them back. Of two objects with one path, the first counts.
 * @param pathOf key of `WalletContent.unknownFields`. The path of a list element contains its hash or key instead of its
 *   index, so that unknown fields stay with an output that is spent and a transaction that is mined.
 */
export function objectField<T extends object, Parent = unknown>(
  pathOf: (value: T, parent: Parent) => string,
  fields: Fields<T>,
) {
  const rows = Object.entries(fields) as [keyof T, Fields<T>[keyof T]][];
  const names = new Set(rows.map(([, [name]]) => name));
  const encoders = rows.map(([property, [name, field]]): FieldEncoder<T> => [
    name,
    (value, unknownFields) => field.encode(value[property], unknownFields, value),
  ]);
  encoders.sort(byName);

  function* decode(json: JsonValue | undefined, context: DecodeContext, parent: Parent): Generator<void, T> {
    const source = asObject(json);
    const value = {} as T;
    let present = 0;
    for (const [property, [name, field]] of rows) {
      const stored = source[name];
      if (stored !== undefined) present++;
      try {
        const part = field.decode(stored, context, value);
        const decoded = isGenerator(part) ? yield* part : part;
        if (decoded !== undefined) value[property] = decoded;
      } catch (error) {
        throw FieldError.within(name, error);
      }
    }
    if (Object.keys(source).length > present) {
      const path = pathOf(value, parent);
      const unknown = Object.entries(source).filter(([name]) => !names.has(name));
      if (!context.unknownFields.has(path)) context.unknownFields.set(path, Object.fromEntries(unknown));
    }
    return value;
  }

  function* encode(value: T, unknownFields: UnknownFields, parent: Parent): Pieces {
    const unknown = unknownFields.size === 0 ? undefined : unknownFields.get(pathOf(value, parent));
    let piece = '{';
    let separator = '';
    for (const [name, encodeField] of unknown === undefined ? encoders : withUnknown(encoders, unknown)) {
      const encoded = encodeField(value, unknownFields);
      if (encoded === undefined) continue;
      piece += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (typeof encoded === 'string') piece += encoded;
      else {
        yield piece;
        yield* encoded;
        piece = '';
      }
    }
    yield `${piece}}`;
  }

  return { decode, encode };
}

type FieldEncoder<T> = readonly [
  name: string,
  encode: (value: T, unknownFields: UnknownFields) => string | Pieces | undefined,
];

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function withUnknown<T>(known: readonly FieldEncoder<T>[], unknown: Readonly<Record<string, unknown>>) {
  const others = Object.entries(unknown).map(([name, value]): FieldEncoder<T> => [name, () => stringifyJson(value)]);
  return [...known, ...others].sort(byName);
}

/** A list in the order of the file. Yields after each element. */
export function listField<T, Parent = unknown>(field: ContainerField<T, Parent>) {
  return {
    *decode(json: JsonValue | undefined, context: DecodeContext, parent: Parent): Generator<void, readonly T[]> {
      if (!Array.isArray(json)) throw new FieldError('a list');
      const items = new Array<T>(json.length);
      for (const [i, value] of json.entries()) {
        try {
          const part = field.decode(value, context, parent);
          items[i] = isGenerator(part) ? yield* part : part;
        } catch (error) {
          throw FieldError.within(i, error);
        }
        yield;
      }
      return items;
    },
    *encode(items: readonly T[], unknownFields: UnknownFields, parent: Parent): Pieces {
      let separator = '[';
      for (const item of items) {
        const encoded = field.encode(item, unknownFields, parent) ?? '';
        yield typeof encoded === 'string' ? separator + encoded : separator;
        if (typeof encoded !== 'string') yield* encoded;
        separator = ',';
      }
      yield separator === '[' ? '[]' : ']';
    },
  };
}

const keys = listField(key);

/** A list of keys. A key that is equal to the previous one is dropped (docs/protocol/wallet.md#container). */
export const keyList: ContainerField<readonly string[]> = {
  *decode(json, context, parent) {
    return withoutRepeats(yield* keys.decode(json, context, parent));
  },
  encode: (items, unknownFields, parent) => keys.encode(withoutRepeats(items), unknownFields, parent),
};

function withoutRepeats(items: readonly string[]): readonly string[] {
  return items.filter((item, i) => item !== items[i - 1]);
}

/** Scalars are no objects. */
function isGenerator<T>(part: T | Generator<void, T>): part is Generator<void, T> {
  return typeof part === 'object';
}

function asObject(json: JsonValue | undefined): JsonObject {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new FieldError('an object');
}
