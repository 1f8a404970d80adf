import fc from 'fast-check';
import { JsonValue, parseJson, parseUniqueJson, stringifyJson } from '../src';

/** The value with each bigint replaced by the nearest number, which the built-in parser returns. */
function rounded(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, rounded(field)]));
}

const BIG = 18446744073709551615n;

test.each(['1e400', '-1e400', '1.5e309', `1${'0'.repeat(309)}`, '{"id":1e400}'])(
  'rejects %s, which exceeds the range of a double',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

describe('parse', () => {
  test('returns integers as exact bigints, values with fraction or exponent as numbers', () => {
    expect(parseJson(`{"a":${BIG},"b":[-9007199254740993,7,1.5e3,1.0,1e0,-0.25]}`)).toEqual({
      a: BIG,
      b: [-9007199254740993n, 7n, 1500, 1, 1, -0.25],
    });
    expect(parseJson('1234567890123456.5')).toBe(1234567890123456.5);
  });

  test('uses the first of repeated names, also for __proto__', () => {
    expect(parseJson('{"a":1,"b":2,"a":{"c":3}}')).toEqual({ a: 1n, b: 2n });
    expect(Object.entries(parseJson('{"__proto__":1,"__proto__":2}') as object)).toEqual([['__proto__', 1n]]);
  });

  test('of a request that may move money: repeated names are refused, in any object', () => {
    expect(parseUniqueJson('{"a":{"a":1},"b":[{"a":2},{"a":3}]}')).toEqual(
      parseJson('{"a":{"a":1},"b":[{"a":2},{"a":3}]}'),
    );
    for (const text of ['{"a":1,"b":2,"a":1}', '[{"b":{"\\u0061":1,"a":2}}]', '{"__proto__":1,"__proto__":1}']) {
      expect(() => parseUniqueJson(text)).toThrow('repeats a name');
    }
  });

  test('parses a very long integer quickly, as a number', () => {
    expect(parseJson('9'.repeat(40))).toBe(10n ** 40n - 1n);
    expect(parseJson('9'.repeat(41))).toBe(1e41);
    expect(() => parseJson('9'.repeat(2_000_000))).toThrow(SyntaxError);
    expect(parseJson('9'.repeat(41))).toBe(1e41);
  });

  test('rejects more than 40,000 values, in arrays and in objects', () => {
    const list = (count: number) => `[${Array.from({ length: count }, () => '0').join()}]`;
    expect(parseJson(list(39_999))).toHaveLength(39_999);
    expect(() => parseJson(list(40_000))).toThrow('too many values');
    expect(parseJson(list(40_000), 40_001)).toHaveLength(40_000);
    const fields = Array.from({ length: 1_000 }, (_, i) => `"${i}":[]`).join();
    expect(() => parseJson(`[${Array.from({ length: 40 }, () => `{${fields}}`).join()}]`)).toThrow('too many values');
  });

  test('an object of a request has at most 1,000 fields', () => {
    const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`;
    expect(Object.keys(parseJson(object(1_000)) as object)).toHaveLength(1_000);
    expect(() => parseJson(object(1_001))).toThrow('too many fields');
    expect(Object.keys(parseJson(object(1_001), 10_000) as object)).toHaveLength(1_001);
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
  ])('rejects %j, alone and in a list', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(`[0,${text}]`)).toThrow(SyntaxError);
  });

  test('rejects nesting deeper than 64', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseJson(nested(64))).not.toThrow();
    expect(() => parseJson(nested(65))).toThrow('nested too deeply');
    expect(() => parseJson(nested(1_000_000))).toThrow('nested too deeply');
    expect(() => parseJson(JSON.stringify(Array.from({ length: 1000 }, () => [])))).not.toThrow();
  });

  test('returns a field with the name __proto__', () => {
    const value = parseJson(`{"__proto__":{"x":${BIG}}}`) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
  });

  test('accepts what JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        // The built-in parser returns negative zero.
        const expected = JSON.parse(text, (_name, value: unknown) => (value === 0 ? 0 : value)) as JsonValue;
        expect(rounded(parseJson(text))).toEqual(expected);
      }),
    );
  });
});

describe('print', () => {
  test('prints bigints as integers, and omits undefined fields', () => {
    expect(stringifyJson({ a: BIG, b: undefined, c: [undefined, null, true, NaN], d: {}, e: [] })).toBe(
      `{"a":${BIG},"c":[null,null,true,null],"d":{},"e":[]}`,
    );
  });

  test('rejects bytes and functions', () => {
    expect(() => stringifyJson({ a: Buffer.from('x') })).toThrow('bytes cannot be printed');
    expect(() => stringifyJson([() => 1])).toThrow(TypeError);
  });

  test('prints like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => expect(stringifyJson(value)).toBe(JSON.stringify(value))),
    );
  });

  test('prints hostile names, sparse arrays, dates and symbol keys like JSON.stringify', () => {
    const name = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'toString', ''),
      fc.string({ unit: 'binary', maxLength: 120 }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom(undefined, null, true, -0),
        fc.double(),
        fc.string({ unit: 'binary' }),
        fc.date({ noInvalidDate: false }),
        fc.sparseArray(tie('value')),
        fc.array(fc.tuple(name, tie('value'))).map((fields) => {
          const object = { [Symbol('key')]: 1 };
          for (const [key, field] of fields) {
            Object.defineProperty(object, key, { value: field, enumerable: true, configurable: true });
          }
          return object;
        }),
      ),
    }));
    fc.assert(fc.property(value, (sample) => expect(stringifyJson(sample)).toBe(JSON.stringify(sample) ?? 'null')));
  });

  test('prints the same text before and after the cache of names is full', () => {
    const names = Array.from({ length: 2_500 }, (_, i) => `"name"\\${String(i)}`);
    const value = Object.fromEntries(names.map((name, i) => [name, { [names[i % 10] ?? '']: i }]));
    for (let i = 0; i < 2; i++) expect(stringifyJson(value)).toBe(JSON.stringify(value));
  });

  test('is unchanged after printing and parsing', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: BIG }));
    fc.assert(
      fc.property(amounts, (values) => {
        expect(parseJson(stringifyJson(values))).toEqual(values);
      }),
    );
  });
});
