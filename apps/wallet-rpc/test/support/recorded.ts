import { parseJson, stringifyJson } from '@wrkz/service-kit';
import { chainALines, readFixture } from '@wrkz/testing';

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

/** Read with every integer exact: some have all 64 bits. */
export function recordings(): { readonly start: RecordedStart; readonly rows: readonly RecordedRow[] } {
  const lines = readFixture('devnet/wallet-service.jsonl').trim().split('\n');
  const [start, ...rows] = lines.map((line) => parseJson(line) as unknown);
  return {
    start: start as RecordedStart,
    rows: rows.map((row) => {
      const { id, status } = row as { id: bigint | string; status: bigint };
      return { ...(row as RecordedRow), id: typeof id === 'bigint' ? Number(id) : id, status: Number(status) };
    }),
  };
}

/** The body as it was sent. */
export function bodyOf({ method, params, password, rawBody, note }: RecordedRow): string {
  if (rawBody !== undefined) return rawBody;
  const members: Record<string, unknown> = {
    jsonrpc: '2.0',
    id: ID_OF_NOTE.has(note) ? ID_OF_NOTE.get(note) : 1,
    method,
  };
  if (params !== null) members['params'] = params;
  if (password !== null) members['password'] = password;
  return stringifyJson(members);
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

/** The block behind a block of chain A, by hash. */
const next = new Map<string, string>();

/** A recorded item bears the hash of the block before its own; here each bears its own (docs/differences.md#wallet-over-json-rpc). */
export function withOwnHashes(text: string): string {
  if (next.size === 0) {
    const hashes = chainALines().map(({ hash }) => hash);
    hashes.forEach((hash, i) => next.set(hash, hashes[i + 1] ?? ''));
  }
  return text.replace(/"blockHash":"(\w{64})"/g, (_all, hash: string) => `"blockHash":"${next.get(hash) ?? ''}"`);
}

/** Members that are compared as sets: maps of the reference order them. */
const SETS = new Set(['transfers', 'addresses', 'transactionHashes']);

/** Members that ours has besides those of July 2025. */
const ADDED = new Set(['anonymity']);

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
    Object.entries(value)
      .filter(([name]) => !ADDED.has(name))
      .map(([name, inner]) => [name, tidy(inner, volatile, path === '' ? name : `${path}.${name}`)]),
  );
}
