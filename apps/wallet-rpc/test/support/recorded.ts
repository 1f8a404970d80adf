import { networkOf, parseBlock, parseTransaction } from '@wrkz/core-types';
import { parseJson, stringifyJson } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, chainALines, readFixture } from '@wrkz/testing';
import { returnsAnonymity } from './differences';

/** A recorded request to the C++ service, and its response. */
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
  /** Paths of the response that differ in each run. */
  readonly volatile: readonly string[];
}

export interface RecordedStart {
  readonly startup: readonly {
    readonly wallet: string;
    readonly generate?: readonly string[];
    readonly run?: readonly string[];
  }[];
}

/** Reads the recording with exact integers, because some have 64 bits. */
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

/** The body of the recorded request. */
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

/** Hashes of blocks of chain A: the block with a transaction, and the next block after a block. */
const chain = { ofTransaction: new Map<string, string>(), behind: new Map<string, string>() };

function readChain(): void {
  if (chain.behind.size > 0) return;
  const lines = chainALines();
  lines.forEach(({ hash, block, transactions }, i) => {
    chain.behind.set(hash, lines[i + 1]?.hash ?? '');
    const { coinbase } = parseBlock(Buffer.from(block, 'hex'));
    chain.ofTransaction.set(coinbase.hash.toString('hex'), hash);
    for (const text of transactions) {
      chain.ofTransaction.set(parseTransaction(Buffer.from(text, 'hex')).hash.toString('hex'), hash);
    }
  });
}

interface RecordedItem {
  blockHash: string;
  readonly transactionHashes?: readonly string[];
  readonly transactions?: readonly { readonly transactionHash: string }[];
}

/**
 * A recorded item has the hash of the block before its own. The expected response has the hash of the block with its
 * transactions (docs/differences.md#wallet-over-json-rpc). An item whose transactions were filtered out gets the hash of the
 * block after the recorded one.
 */
export function withOwnHashes(text: string): string {
  if (!text.includes('"blockHash":')) return text;
  readChain();
  const outcome = parseJson(text) as unknown as { result: { items: RecordedItem[] } };
  for (const item of outcome.result.items) {
    const [first] = item.transactionHashes ?? item.transactions?.map(({ transactionHash }) => transactionHash) ?? [];
    const behind = chain.behind.get(item.blockHash);
    const own = first === undefined ? behind : chain.ofTransaction.get(first);
    if (own === undefined || own !== behind) throw new RangeError(`chain A has no such item: ${item.blockHash}`);
    item.blockHash = own;
  }
  return stringifyJson(outcome);
}

/** The expected response with the additional fields listed in `differences.ts`. */
export function withAddedMembers({ id, params }: RecordedRow, text: string): string {
  const anonymity = (params as { readonly anonymity?: bigint } | null)?.anonymity ?? DEFAULT_ANONYMITY;
  return returnsAnonymity(id) ? text.replace('"result":{', `"result":{"anonymity":${String(anonymity)},`) : text;
}

/** Default mixin at the tip of chain A. */
const DEFAULT_ANONYMITY = networkOf('devnet').rulesAt(CHAIN_A_HEIGHT).mixin.default;

/** Fields that are compared as sets, because the C++ program stores them in maps. */
const SETS = new Set(['transfers', 'addresses', 'transactionHashes']);

/** A response for comparison: exact key order and numbers, types of volatile values. */
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
