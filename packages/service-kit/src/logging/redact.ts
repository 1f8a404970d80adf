import type { LogFields } from './entry';

/** Names of fields whose values never reach a log. */
const SECRET_FIELD = /secret|password|passphrase|token|api-?_?key|authorization|mnemonic|seed(?!_?node)|private/i;

const HIDDEN = '***';
/** Bytes of a byte array that are shown. */
const SHOWN_BYTES = 64;
/** Members within members that are shown, and how many in all: what is logged may lead to half the program. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5_000;

/** Replaces known secret texts wherever they appear. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, HIDDEN);
  return result;
}

/**
 * The fields as plain JSON values: secrets hidden by name and by value, bigints as decimal text, bytes as hex, errors as
 * `error` says. Members that are undefined are left out.
 */
export function redactFields(
  fields: LogFields,
  secrets: ReadonlySet<string>,
  error: (error: Error) => unknown,
): Record<string, unknown> {
  let values = 0;
  const members = (value: object, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [
          hideSecrets(name, secrets),
          SECRET_FIELD.test(name) ? HIDDEN : redacted(member, depth + 1),
        ]),
    );
  const redacted = (value: unknown, depth: number): unknown => {
    values += 1;
    if (typeof value === 'string') return hideSecrets(value, secrets);
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Error) return redacted(error(value), depth);
    if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, SHOWN_BYTES)).toString('hex');
    if (depth > MAX_DEPTH || values > MAX_VALUES) return '...';
    if (value instanceof Date) return value.toISOString();
    if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
    return members(value, depth);
  };
  return members(fields, 0);
}
