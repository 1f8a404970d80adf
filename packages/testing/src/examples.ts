import { readFileSync, writeFileSync } from 'node:fs';

/** A request of a route or method and its response, as `docs:print` shows them. */
export interface Example {
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** JSON with the first entry of each array, or the first characters of a text; null for no body. */
  readonly response: unknown;
}

const MAX_TEXT = 200;

export type Examples = Readonly<Record<string, Example>>;

/** The examples stored in `file`. With the environment variable RECORD_EXAMPLES the given ones are stored first. */
export function storedExamples(file: string, examples: Examples): Examples {
  if (process.env['RECORD_EXAMPLES'] !== undefined) {
    writeFileSync(file, `${JSON.stringify(examples, undefined, 2)}\n`);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Examples;
}

/** @param nodePort differs in each run, and is replaced by the port of devnet */
export function exampleOf(
  { path, body, status, text }: { path: string; body: object | undefined; status: number; text: string },
  nodePort: number,
): Example {
  const portable = (json: string): string => json.replaceAll(String(nodePort), '37856');
  const request = body === undefined ? {} : { body: JSON.parse(portable(JSON.stringify(body))) as object };
  return { path, ...request, status, response: responseOf(portable(text)) };
}

function responseOf(text: string): unknown {
  if (text === '') return null;
  const isLarge = !/^[[{]/.test(text) || text.startsWith('{"openapi"');
  return isLarge ? `${text.slice(0, MAX_TEXT)}...` : shortened(JSON.parse(text));
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/** Fields and types without values: equal in all runs, unlike hashes, keys and amounts. */
export function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, typesOf(inner)]));
}
