import { request } from 'node:http';
import { type JsonValue, parseJson } from '@wrkz/service-kit';
import { readJsonLines } from '@wrkz/testing/fixtures';

/** One request to the reference daemon at the tip of chain A, and its response (see the README of the fixtures). */
export interface Recorded {
  readonly id: number;
  readonly phase: 'tip' | 'pool' | 'risky';
  readonly daemon: 'full' | 'default' | 'mining' | 'explorer' | 'cors';
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
  readonly status: number | null;
  readonly headers: Record<string, string>;
  readonly response: string | null;
  readonly volatile?: readonly string[];
  readonly unordered?: readonly string[];
  readonly random?: string;
  readonly requestHeaders?: Record<string, string>;
}

/** Every row, in the recorded order. */
export function allRows(): Recorded[] {
  return readJsonLines<Recorded>('devnet/chain-a-rpc.jsonl');
}

/** The rows of served routes, requested from the daemon with every mode on. */
export function recordedRows(): Recorded[] {
  return allRows().filter((row) => row.daemon === 'full');
}

export type Json = JsonValue;

/** Parses JSON with exact integers, for both sides of a comparison. */
export function exact(text: string): Json {
  return parseJson(text, Infinity);
}

export function send(
  url: string,
  row: Pick<Recorded, 'method' | 'path' | 'body' | 'requestHeaders'>,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  const headers = { 'Content-Length': String(Buffer.byteLength(row.body ?? '')), ...row.requestHeaders };
  return new Promise((resolve, reject) => {
    // fetch sends no body with GET; the reference reads one
    // Each request has its own connection: an idle one is closed after some seconds, possibly during a request.
    const outgoing = request(url + row.path, { method: row.method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    outgoing.on('error', reject);
    outgoing.end(row.body ?? undefined);
  });
}

/**
 * Paths such as `result.height` where `ours` lacks or contradicts recorded fields. Fields that only ours has are
 * allowed, the order of fields is ignored, `volatile` fields must only exist, `unordered` arrays are compared as sets.
 */
export function differences(recorded: Json, ours: Json, row: Recorded): string[] {
  const ignored = (row.volatile ?? []).map(leadingPath);
  const sets = (row.unordered ?? []).map(leadingPath);
  return walk(recorded, ours, '');

  function walk(expected: Json, actual: Json, path: string): string[] {
    if (ignored.includes(path.replace(/\[\d+\]/g, '[]')) && actual !== undefined) return [];
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual) || actual.length !== expected.length) return [path];
      const [left, right] = sets.includes(path) ? [sorted(expected), sorted(actual)] : [expected, actual];
      return left.flatMap((entry, i) => walk(entry, right[i] as Json, `${path}[${i}]`));
    }
    if (expected !== null && typeof expected === 'object') {
      if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) return [path];
      return Object.entries(expected).flatMap(([name, value]) => {
        const inner = path === '' ? name : `${path}.${name}`;
        return name in actual ? walk(value, actual[name] as Json, inner) : [inner];
      });
    }
    return expected === actual ? [] : [path];
  }
}

/** Removes the reason in brackets from `result.x (reason)` and `blocks[].x (reason)`. */
function leadingPath(text: string): string {
  return /^[\w.[\]]+/.exec(text)?.[0] ?? text;
}

function sorted(values: readonly Json[]): Json[] {
  const key = (value: Json): string => JSON.stringify(value, (_name, inner: unknown) => inOrder(withoutBigints(inner)));
  return [...values].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The fields of an object by name. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutBigints(value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
