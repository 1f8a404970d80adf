import { isUtf8 } from 'node:buffer';
import { type JsonObject, type JsonValue, setField } from '@wrkz/service-kit/base';

const Byte = {
  Quote: 0x22,
  Comma: 0x2c,
  Minus: 0x2d,
  Colon: 0x3a,
  Zero: 0x30,
  Nine: 0x39,
  OpenArray: 0x5b,
  Backslash: 0x5c,
  CloseArray: 0x5d,
  OpenObject: 0x7b,
  CloseObject: 0x7d,
} as const;

/** Maximum nesting of arrays and objects. */
const MAX_DEPTH = 64;
/** Number of digits up to which a double represents every integer exactly. */
const SAFE_DIGITS = 15;
/** Longer integers are invalid in every field. They are read as doubles, because parsing a huge bigint is slow. */
const MAX_INTEGER_LENGTH = 40;
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const WORDS: readonly (readonly [Buffer, JsonValue])[] = [
  [Buffer.from('true'), true],
  [Buffer.from('false'), false],
  [Buffer.from('null'), null],
];

/**
 * Parses JSON from bytes. Integers become exact `bigint` values. Of repeated names, the first is used. The generator yields
 * after each list element, so that a large container does not block the event loop. `JSON.parse` needs a string, and
 * strings are limited to 512 MiB: the container of a busy exchange is larger.
 * @throws SyntaxError for invalid JSON, invalid UTF-8 and nesting deeper than 64
 */
export function* readContainerJson(bytes: Buffer): Generator<void, JsonValue> {
  const reader = new JsonReader(bytes);
  const value = yield* reader.value(0);
  reader.expectEnd();
  return value;
}

class JsonReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  *value(depth: number): Generator<void, JsonValue> {
    const first = this.next();
    if (first !== Byte.OpenArray && first !== Byte.OpenObject) return this.scalar();
    if (depth >= MAX_DEPTH) throw new SyntaxError('JSON is nested too deeply');
    this.at++;
    return yield* first === Byte.OpenArray ? this.array(depth + 1) : this.object(depth + 1);
  }

  expectEnd(): void {
    this.next();
    if (this.at < this.bytes.length) this.fail();
  }

  private *array(depth: number): Generator<void, JsonValue[]> {
    const list: JsonValue[] = [];
    if (this.take(Byte.CloseArray)) return list;
    do {
      list.push(this.isScalar() ? this.scalar() : yield* this.value(depth));
      yield;
    } while (this.more(Byte.CloseArray));
    return list;
  }

  private *object(depth: number): Generator<void, JsonObject> {
    const object: JsonObject = {};
    if (this.take(Byte.CloseObject)) return object;
    do {
      const name = this.name();
      const value = this.isScalar() ? this.scalar() : yield* this.value(depth);
      if (!Object.hasOwn(object, name)) setField(object, name, value);
    } while (this.more(Byte.CloseObject));
    return object;
  }

  /** Scalars, which are most values, are read without a generator, because its overhead would exceed the parsing time. */
  private isScalar(): boolean {
    const first = this.next();
    return first !== Byte.OpenArray && first !== Byte.OpenObject;
  }

  private name(): string {
    if (this.next() !== Byte.Quote) this.fail();
    const name = this.string();
    if (!this.take(Byte.Colon)) this.fail();
    return name;
  }

  /** Consumes a comma and returns true, or consumes the end of the array or object and returns false. */
  private more(end: number): boolean {
    if (this.take(Byte.Comma)) return true;
    if (!this.take(end)) this.fail();
    return false;
  }

  private string(): string {
    const { bytes } = this;
    const start = this.at + 1;
    let plain = true;
    let end = start;
    for (; bytes[end] !== Byte.Quote; end++) {
      const byte = bytes[end];
      if (byte === undefined) this.fail();
      if (byte === Byte.Backslash) end++;
      if (byte === Byte.Backslash || byte < 0x20 || byte > 0x7e) plain = false;
    }
    if (end >= bytes.length) this.fail();
    this.at = end + 1;
    if (plain) return bytes.toString('latin1', start, end);
    const quoted = bytes.subarray(start - 1, this.at);
    if (!isUtf8(quoted)) throw new SyntaxError('JSON has text that is not UTF-8');
    return JSON.parse(quoted.toString('utf8')) as string;
  }

  private scalar(): JsonValue {
    if (this.bytes[this.at] === Byte.Quote) return this.string();
    for (const [word, value] of WORDS) {
      if (this.bytes.subarray(this.at, this.at + word.length).equals(word)) {
        this.at += word.length;
        return value;
      }
    }
    return this.smallInteger() ?? this.number();
  }

  /** Fast path for integers with few digits. For any other value it consumes nothing and returns undefined. */
  private smallInteger(): bigint | undefined {
    const { bytes, at } = this;
    let value = 0;
    let end = at;
    for (let byte = bytes[end]; byte !== undefined && byte >= Byte.Zero && byte <= Byte.Nine; byte = bytes[++end]) {
      if (end - at >= SAFE_DIGITS) return undefined;
      value = value * 10 + byte - Byte.Zero;
    }
    if (end === at || (bytes[at] === Byte.Zero && end - at > 1) || isNumberByte(bytes[end])) return undefined;
    this.at = end;
    return BigInt(value);
  }

  private number(): number | bigint {
    let end = this.at;
    while (isNumberByte(this.bytes[end])) end++;
    const token = this.bytes.toString('latin1', this.at, end);
    const match = NUMBER.exec(token);
    if (match === null) this.fail();
    this.at = end;
    const [, fraction, exponent] = match;
    if (fraction === undefined && exponent === undefined && token.length <= MAX_INTEGER_LENGTH) return BigInt(token);
    const value = Number(token);
    if (!Number.isFinite(value)) this.fail();
    return value;
  }

  /** Skips white space. @returns the next byte, which is not consumed */
  private next(): number | undefined {
    let byte = this.bytes[this.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.bytes[++this.at];
    return byte;
  }

  private take(byte: number): boolean {
    if (this.next() !== byte) return false;
    this.at++;
    return true;
  }

  private fail(): never {
    const what = this.at >= this.bytes.length ? 'unexpected end' : 'unexpected byte';
    throw new SyntaxError(`${what} of JSON at ${this.at}`);
  }
}

function isNumberByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isDigit = byte >= Byte.Zero && byte <= Byte.Nine;
  return isDigit || byte === Byte.Minus || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45;
}
