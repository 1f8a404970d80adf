/** Containers within containers that a body may have. */
const MAX_DEPTH = 64;

/** A JSON value with integers above 2^53 as bigint. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [name: string]: JsonValue };

/**
 * Parses JSON without losing digits: an integer outside the safe range comes out as bigint, every other number as number.
 * @throws SyntaxError on malformed text, and on nesting deeper than 64
 */
export function parseJson(text: string): JsonValue {
  // the built-in parser is right whenever no number can be long and the nesting cannot be deep
  if (!/\d{16}/.test(text) && openers(text) <= MAX_DEPTH) return JSON.parse(text) as JsonValue;
  return new Parser(text).parse();
}

function openers(text: string): number {
  let count = 0;
  for (const opener of ['[', '{']) {
    for (let at = text.indexOf(opener); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(opener, at + 1)) count++;
  }
  return count;
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): JsonValue {
    const value = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) this.fail();
    return value;
  }

  private value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new SyntaxError('JSON is nested too deeply');
    this.skipSpace();
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonValue {
    const result: { [name: string]: JsonValue } = {};
    this.at++;
    if (this.take('}')) return result;
    do {
      this.skipSpace();
      if (this.text[this.at] !== '"') this.fail();
      const name = this.string();
      if (!this.take(':')) this.fail();
      const value = this.value(depth + 1);
      // an own property whatever its name, so that "__proto__" changes nothing else
      Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
    } while (this.take(','));
    if (!this.take('}')) this.fail();
    return result;
  }

  private array(depth: number): JsonValue {
    const result: JsonValue[] = [];
    this.at++;
    if (this.take(']')) return result;
    do result.push(this.value(depth + 1));
    while (this.take(','));
    if (!this.take(']')) this.fail();
    return result;
  }

  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (end >= 0 && this.escaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) this.fail();
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  /** True when an odd number of backslashes stands before a position. */
  private escaped(position: number): boolean {
    let before = position - 1;
    while (this.text[before] === '\\') before--;
    return (position - before) % 2 === 0;
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) this.fail();
    this.at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)) return BigInt(match[0]);
    return value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private take(character: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private fail(): never {
    const what = this.at >= this.text.length ? 'unexpected end' : 'unexpected character';
    throw new SyntaxError(`${what} of JSON at position ${this.at}`);
  }
}
