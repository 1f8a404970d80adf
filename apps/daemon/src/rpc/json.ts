import { parse, stringify } from 'lossless-json';

/** A JSON value as requests carry it: integers arrive as `bigint`, anything with a fraction or an exponent as `number`. */
export type JsonValue = null | boolean | string | number | bigint | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

const INTEGER = /^-?\d+$/;

/**
 * Parses a request body. 64-bit integers stay exact, `1.0` stays distinguishable from `1` (the reference refuses the
 * former where it wants an integer), and of a repeated key the first wins, as in the reference.
 * @throws SyntaxError when the text is not one JSON value; RangeError when it nests too deep.
 */
export function parseJson(text: string): JsonValue {
  return parse(text, undefined, {
    parseNumber: (token) => (INTEGER.test(token) ? BigInt(token) : Number(token)),
    onDuplicateKey: ({ oldValue }) => oldValue,
  }) as JsonValue;
}

/** Prints an answer; `bigint` becomes a plain integer. Members whose value is `undefined` are left out. */
export function printJson(value: unknown): string {
  return stringify(value) ?? 'null';
}
