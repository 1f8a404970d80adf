import type { LogFields } from './entry';

/** Names of fields whose values never reach a log. */
const SECRET_FIELD = /secret|password|passphrase|token|api-?_?key|authorization|mnemonic|seed(?!_?node)|private/i;

const HIDDEN = '***';
/** Bytes of a byte array that are shown. */
const SHOWN_BYTES = 64;
/** Members within members that are shown, and how many in all: what is logged may lead to half the program. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5_000;

const CUT = '...';
/** Stands for what throws when it is looked at: a line is written all the same. */
const UNREADABLE = '(unreadable)';

/** Replaces known secret texts wherever they appear. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, HIDDEN);
  return result;
}

/**
 * The fields as plain JSON values: secrets hidden by name and by value, whatever kind of value shows them, bigints as
 * decimal text, bytes as hex, errors as `error` says, objects with a `toJSON` as that says. Members that are undefined are
 * left out. Never throws.
 */
export function redactFields(
  fields: LogFields,
  secrets: ReadonlySet<string>,
  error: (error: Error) => unknown,
): Record<string, unknown> {
  let values = 0;
  const hide = (text: string): string => hideSecrets(text, secrets);
  const members = (value: object, depth: number): Record<string, unknown> => {
    const entries: [string, unknown][] = [];
    for (const name of Object.keys(value).slice(0, MAX_VALUES)) {
      const member = attempt(() => (value as Record<string, unknown>)[name]);
      if (member !== undefined) entries.push([hide(name), SECRET_FIELD.test(name) ? HIDDEN : redacted(member, depth)]);
    }
    return Object.fromEntries(entries);
  };
  const redacted = (value: unknown, depth: number): unknown => attempt(() => plain(value, depth + 1));
  const plain = (value: unknown, depth: number): unknown => {
    values += 1;
    if (typeof value === 'string') return hide(value);
    if (typeof value === 'number') return hide(String(value)) === String(value) ? value : HIDDEN;
    if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
      return hide(String(value));
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return CUT;
    if (value instanceof Error) return redacted(error(value), depth);
    if (value instanceof Uint8Array) return hide(Buffer.from(value.subarray(0, SHOWN_BYTES)).toString('hex'));
    if (speaksForItself(value)) return redacted(value.toJSON(), depth);
    if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((item) => redacted(item, depth));
    return members(value, depth);
  };
  return attempt(() => members(fields, 0), { fields: UNREADABLE });
}

function speaksForItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function attempt<T>(look: () => T): T | string;
function attempt<T>(look: () => T, otherwise: T): T;
function attempt(look: () => unknown, otherwise: unknown = UNREADABLE): unknown {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
