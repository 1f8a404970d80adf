import { parseJson, stringifyJson } from '@wrkz/service-kit';
import { readFixture } from '@wrkz/testing/fixtures';

/** A recorded request to the C++ wallet, and its response. */
export interface RecordedRow {
  readonly id: number;
  readonly session: 'A' | 'B' | 'C';
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The sent text; numbers have all their digits. */
  readonly body: string | undefined;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: string;
  readonly note: string;
  /** Paths of the response that differ in each run. */
  readonly volatile: readonly string[];
}

interface Line extends Omit<RecordedRow, 'body'> {
  /** A body that is not JSON. */
  readonly rawBody?: string;
}

export function recordedRows(): RecordedRow[] {
  const lines = readFixture('devnet/wallet-api.jsonl').trim().split('\n');
  return lines.map((text) => {
    const { rawBody, ...line } = JSON.parse(text) as Line;
    const { body = null } = parseJson(text) as { body?: unknown };
    return { ...line, body: rawBody ?? (body === null ? undefined : stringifyJson(body)) };
  });
}

/** Fields of our responses that the program of July 2025 does not have. */
const ADDED = new Set([
  'converting',
  'confirmations',
  'mixin',
  'defaultMixin',
  'daemonLiteStartHeight',
  'isDaemonSynced',
  'isOutOfSync',
  'isSyncStalledByLiteNode',
  'isWalletSynced',
  'nodes',
  'nodeSwitch',
  'scanStartHeight',
  'scanStartTimestamp',
  'syncGapCoveredTo',
  'syncGapDaemonServesFrom',
  'syncStall',
  'unreadableBlocks',
]);

/** A response for comparison: without added fields, types of volatile values, sorted address lists. */
export function comparable(text: string, volatile: readonly string[]): unknown {
  if (text === '') return '';
  const value: unknown = JSON.parse(text, (_name, member: unknown, context?: { source?: string }) =>
    typeof member === 'number' && context?.source !== undefined ? `#${context.source}` : member,
  );
  return tidy(value, new Set(volatile.map((path) => path.replace(/^.*[.[\]]/, ''))), volatile);
}

function tidy(value: unknown, names: ReadonlySet<string>, volatile: readonly string[], name = ''): unknown {
  if (Array.isArray(value)) {
    if (names.has(name)) return 'array';
    const entries = value.map((entry) => tidy(entry, names, volatile, name));
    if (name === 'addresses') return volatile.includes('addresses[]') ? entries.length : entries.sort();
    const isByAddress = entries.every((entry) => typeof entry === 'object' && entry !== null && 'unlocked' in entry);
    return isByAddress || name === 'transfers' ? entries.map((entry) => JSON.stringify(entry)).sort() : entries;
  }
  if (typeof value !== 'object' || value === null) return names.has(name) ? typeof value : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => !ADDED.has(member))
      .map(([member, inner]) => [member, tidy(inner, names, volatile, member)])
      .sort(([a], [b]) => String(a).localeCompare(String(b))),
  );
}
