import fc from 'fast-check';
import { JsonValue, parseJson, stringifyJson } from '../src';

/** The value with bigints as the nearest number, which is what the built-in parser makes of them. */
function rounded(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, rounded(field)]));
}

const BIG = 18446744073709551615n;

describe('parse', () => {
  test('integers above 2^53 keep their digits, all others are numbers', () => {
    expect(parseJson(`{"a":${BIG},"b":[-9007199254740993,9007199254740991,1.5e3,-0.25]}`)).toEqual({
      a: BIG,
      b: [-9007199254740993n, 9007199254740991, 1500, -0.25],
    });
    expect(parseJson('9007199254740992')).toBe(9007199254740992n);
    expect(parseJson('1234567890123456.5')).toBe(1234567890123456.5);
  });

  test.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '01',
    '+1',
    '1.',
    '.5',
    'NaN',
    '[1 2]',
    '"\n"',
    '"a',
    '1 2',
    '{"a" 1}',
    '\u00a01',
  ])('%j is refused with and without a long number beside it', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(`[${BIG},${text}]`)).toThrow(SyntaxError);
  });

  test('nesting over 64 is refused, whatever is in it', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseJson(nested(64))).not.toThrow();
    expect(() => parseJson(nested(100))).toThrow('nested too deeply');
    expect(() => parseJson(nested(1_000_000))).toThrow('nested too deeply');
    expect(() => parseJson(JSON.stringify(Array.from({ length: 1000 }, () => [])))).not.toThrow();
  });

  test('a field named __proto__ is a field', () => {
    const value = parseJson(`{"__proto__":{"x":${BIG}}}`) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
  });

  test('reads what the built-in parser reads, also on its own way', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const expected = JSON.parse(text) as JsonValue;
        expect(rounded(parseJson(text))).toEqual(expected);
        expect(rounded((parseJson(`[${text} , ${BIG}]`) as JsonValue[])[0]!)).toEqual(expected);
      }),
    );
  });
});

describe('print', () => {
  test('bigints as integers, undefined fields left out', () => {
    expect(stringifyJson({ a: BIG, b: undefined, c: [undefined, null, true, NaN], d: {}, e: [] })).toBe(
      `{"a":${BIG},"c":[null,null,true,null],"d":{},"e":[]}`,
    );
  });

  test('bytes and functions are refused', () => {
    expect(() => stringifyJson({ a: Buffer.from('x') })).toThrow('bytes cannot be printed');
    expect(() => stringifyJson([() => 1])).toThrow(TypeError);
  });

  test('prints what the built-in printer prints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => expect(stringifyJson(value)).toBe(JSON.stringify(value))),
    );
  });

  test('comes back the same', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: BIG }));
    fc.assert(
      fc.property(amounts, (values) => {
        const back = parseJson(stringifyJson(values)) as (number | bigint)[];
        expect(back.map(BigInt)).toEqual(values);
      }),
    );
  });
});
