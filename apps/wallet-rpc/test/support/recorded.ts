import { readJsonLines } from '@wrkz/testing';

/** One recorded request to the C++ service, and its answer. */
export interface RecordedRow {
  readonly id: number | string;
  readonly wallet: string;
  readonly method: string | null;
  readonly params: object | null;
  readonly password: unknown;
  readonly rawBody?: string;
  readonly http?: readonly [method: string, path: string];
  readonly status: number;
  readonly response: string;
  readonly note: string;
  /** What of the answer differs from run to run, by its path. */
  readonly volatile: readonly string[];
}

export interface RecordedStart {
  readonly startup: readonly {
    readonly wallet: string;
    readonly generate?: readonly string[];
    readonly run?: readonly string[];
  }[];
}

export function recordings(): { readonly start: RecordedStart; readonly rows: readonly RecordedRow[] } {
  const [start, ...rows] = readJsonLines<RecordedStart | RecordedRow>('devnet/wallet-service.jsonl');
  return { start: start as RecordedStart, rows: rows as RecordedRow[] };
}

/** The body as it was sent. */
export function bodyOf({ id, method, params, password, rawBody, note }: RecordedRow): string {
  if (rawBody !== undefined) return rawBody;
  const sentId: unknown = /^id (.+)$/.test(note) ? ID_OF_NOTE.get(note) : 1;
  void id;
  const members: Record<string, unknown> = { jsonrpc: '2.0', id: sentId, method };
  if (params !== null) members['params'] = params;
  if (password !== null) members['password'] = password;
  return JSON.stringify(members);
}

const ID_OF_NOTE = new Map<string, unknown>([
  ['id None', null],
  ["id 'abc'", 'abc'],
  ['id 5', 5],
  ['id -1', -1],
  ['id 1.5', 1.5],
  ['id [1]', [1]],
  ["id {'a': 1}", { a: 1 }],
  ['id True', true],
]);

/** Members that are compared as sets: maps of the reference order them. */
const SETS = new Set(['transfers', 'addresses', 'transactionHashes']);

/** An answer as it is compared: key order counts, numbers are exact, volatile values count by their type alone. */
export function comparable(text: string, volatile: readonly string[]): unknown {
  if (!text.startsWith('{')) return text;
  const value: unknown = JSON.parse(text, (_name, member: unknown, context?: { source?: string }) =>
    typeof member === 'number' && context?.source !== undefined ? `#${context.source}` : member,
  );
  return tidy(value, new Set(volatile.map((path) => path.replace(/\[\]/g, ''))), '');
}

function tidy(value: unknown, volatile: ReadonlySet<string>, path: string): unknown {
  if (volatile.has(path) && !Array.isArray(value)) return typeof value;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => tidy(entry, volatile, path));
    const name = path.split('.').at(-1) ?? '';
    return SETS.has(name) ? entries.map((entry) => JSON.stringify(entry)).sort() : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, tidy(inner, volatile, path === '' ? name : `${path}.${name}`)]),
  );
}
