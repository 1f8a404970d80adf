/** Levels; a lower number is more severe. */
export const LOG_LEVELS = { fatal: 0, error: 1, warning: 2, info: 3, debug: 4, trace: 5 } as const;

export type LogLevelName = keyof typeof LOG_LEVELS;

/** Values of a log line, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A log line before formatting. */
export interface LogEntry {
  readonly time: Date;
  readonly level: LogLevelName;
  /** Name of the component, e.g. `p2p.sync`; empty for the program itself. */
  readonly part: string;
  readonly message: string;
  readonly fields?: LogFields | undefined;
}

/** An entry as text: `2026-01-31 09:05:07.042 INFO    [p2p] message name=value`. */
export function textLine({ time, level, part, message, fields }: LogEntry, secrets: ReadonlySet<string>): string {
  const extra = fields === undefined ? '' : ` ${fieldsText(fields, secrets)}`;
  const text = plainText(hideSecrets(`${String(message)}${extra}`, secrets));
  const label = part === '' ? '' : `[${part}] `;
  return `${timeText(time)} ${level.toUpperCase().padEnd(7)} ${label}${text}`;
}

function fieldsText(fields: LogFields, secrets: ReadonlySet<string>): string {
  return Object.entries(redactFields(fields, secrets, (error) => error.message))
    .map(
      ([name, value]) =>
        `${name}=${isError(fields, name) ? JSON.stringify(plainText(String(value))) : valueText(value)}`,
    )
    .join(' ');
}

function isError(fields: LogFields, name: string): boolean {
  try {
    return fields[name] instanceof Error;
  } catch {
    return false;
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return /^([\w.:/@+-]+|\*\*\*)$/.test(value) ? value : JSON.stringify(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * An entry as one JSON object: `timestamp` (ISO 8601, UTC), `level`, `part`, `message`, `fields`, without an empty `part` or
 * `fields`. Errors are objects with name and message, and stack if `stacks`.
 */
export function jsonLine(
  { time, level, part, message, fields }: LogEntry,
  secrets: ReadonlySet<string>,
  stacks: boolean,
): string {
  const line = {
    timestamp: time.toISOString(),
    level,
    ...(part === '' ? {} : { part }),
    message: cut(hideSecrets(String(message), secrets)),
    ...(fields === undefined ? {} : { fields: boundedFields(fields, secrets, stacks) }),
  };
  return JSON.stringify(line).replace(UNSAFE, escaped);
}

function boundedFields(fields: LogFields, secrets: ReadonlySet<string>, stacks: boolean): unknown {
  const plain = redactFields(fields, secrets, ({ name, message, stack }) => ({
    name,
    message,
    ...(stacks ? { stack } : {}),
  }));
  const text = JSON.stringify(plain);
  return text.length <= 2 * MAX_TEXT ? plain : { cut: cut(text) };
}

/** Local time with milliseconds, `2026-01-31 09:05:07.042`. */
function timeText(time: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** Names of fields whose values are never logged. */
const SECRET_FIELD = /secret|password|passphrase|token|api-?_?key|authorization|mnemonic|seed(?!_?node)|private/i;

const HIDDEN = '***';
/** Logged bytes of a byte array. */
const MAX_BYTES = 64;
/** Bounds of nested values: a logged object may reference half the program. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5_000;

const CUT = '...';
/** Replaces a value whose getter throws. */
const UNREADABLE = '(unreadable)';

/** Replaces known secrets in a text. */
function hideSecrets(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, HIDDEN);
  return result;
}

/**
 * Converts fields to JSON values: secrets are hidden by name and by value, bigints become decimal text, bytes hex, errors the
 * result of `error`, objects the result of their `toJSON`. Undefined values are omitted. Never throws.
 */
function redactFields(
  fields: LogFields,
  secrets: ReadonlySet<string>,
  error: (error: Error) => unknown,
): Record<string, unknown> {
  let values = 0;
  const hide = (text: string): string => hideSecrets(text, secrets);
  const fieldsOf = (value: object, depth: number): Record<string, unknown> => {
    const entries: [string, unknown][] = [];
    for (const name of Object.keys(value).slice(0, MAX_VALUES)) {
      const field = attempt(() => (value as Record<string, unknown>)[name]);
      if (field !== undefined) entries.push([hide(name), SECRET_FIELD.test(name) ? HIDDEN : redacted(field, depth)]);
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
    if (value instanceof Uint8Array) return hide(Buffer.from(value.subarray(0, MAX_BYTES)).toString('hex'));
    if (hasToJson(value)) return redacted(value.toJSON(), depth);
    if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((item) => redacted(item, depth));
    return fieldsOf(value, depth);
  };
  return attempt(() => fieldsOf(fields, 0), { fields: UNREADABLE });
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function attempt<T>(read: () => T): T | string;
function attempt<T>(read: () => T, fallback: T): T;
function attempt(read: () => unknown, fallback: unknown = UNREADABLE): unknown {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/** Control characters, line and paragraph separators, and marks that change the direction of text. */
// eslint-disable-next-line no-control-regex -- removed from log lines
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Max characters of a message. */
const MAX_TEXT = 4096;

/** Escapes everything that would break the line or control a terminal. */
export function plainText(text: string): string {
  const safe = text.replace(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return ' ';
    return escaped(character);
  });
  return cut(safe);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
