/** Control characters, line and paragraph separators, and the marks that reorder text on a terminal. */
// eslint-disable-next-line no-control-regex -- these are what must not reach a log
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Names of fields whose values never reach a log. */
const SECRET_FIELD = /secret|password|passphrase|token|api-?_?key|authorization|mnemonic|seed(?!_?node)|private/i;

const HIDDEN = '***';
/** A longer message is cut: a log line is no place for a body. */
const MAX_TEXT = 4096;

/** Text that stays on its line and moves no cursor, whatever a stranger put into it. */
export function plainText(text: string): string {
  const safe = text.replace(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return ' ';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return safe.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT)}...` : safe;
}

/** Facts beside a message; printed as `name=value`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The fields of a line as text, secrets hidden by name. */
export function fieldsText(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${SECRET_FIELD.test(name) ? HIDDEN : valueText(value)}`)
    .join(' ');
}

function valueText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(plainText(value.message));
  if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, 64)).toString('hex');
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === 'object' && value !== null) {
    return JSON.stringify(value, (name, inner: unknown) => {
      if (SECRET_FIELD.test(name)) return HIDDEN;
      return typeof inner === 'bigint' ? String(inner) : inner;
    });
  }
  return String(value);
}

/** Replaces known secret texts wherever they appear. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, HIDDEN);
  return result;
}
