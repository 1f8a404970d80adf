import { OptionSpec, OptionValue, UsageError } from './spec';

const TRUE_WORDS = new Set(['true', '1', 'yes', 'on']);
const FALSE_WORDS = new Set(['false', '0', 'no', 'off']);

/** `true`/`1`/`yes`/`on` and their opposites in any case; undefined for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  if (FALSE_WORDS.has(word)) return false;
  return undefined;
}

/**
 * Takes one pair of quotes off that stands around all of a text, as people write them in files and service units. In
 * `"my program" "%s"` further pairs stand inside, so first and last are not one.
 */
export function unquoted(text: string): string {
  const quote = text.charAt(0);
  const inside = text.slice(1, -1);
  if (text.length < 2 || (quote !== '"' && quote !== "'") || !text.endsWith(quote)) return text;
  const others = inside.split(quote).length - 1;
  return others > 0 && others % 2 === 0 ? text : inside;
}

/**
 * Turns what was written (text from the command line or an INI file, any JSON value from a JSON file) into the
 * option's value and checks it. `where` names the place in messages, e.g. `--rpc-bind-port` or `key rpc-bind-port in a.conf`.
 * @throws UsageError
 */
export function convertValue(spec: OptionSpec, raw: unknown, where: string): OptionValue {
  switch (spec.type) {
    case 'boolean':
      return checked(spec, toBoolean(raw, where), where);
    case 'number':
      return checked(spec, toNumber(spec, raw, where), where);
    case 'string':
      return checked(spec, toText(raw, where), where);
    case 'list':
      return toList(raw, where).map((entry) => checked(spec, entry, where));
  }
}

function toBoolean(raw: unknown, where: string): boolean {
  if (typeof raw === 'boolean') return raw;
  const value = typeof raw === 'string' || typeof raw === 'number' ? parseBoolean(String(raw)) : undefined;
  if (value === undefined) throw new UsageError(`${where}: expected true or false, got ${shown(raw)}`);
  return value;
}

function toNumber(spec: OptionSpec, raw: unknown, where: string): number {
  const kind = spec.fraction ? 'a number' : 'a whole number';
  const pattern = spec.fraction ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  const text = typeof raw === 'string' ? raw.trim() : typeof raw === 'number' ? String(raw) : '';
  if (!pattern.test(text)) throw new UsageError(`${where}: expected ${kind}, got ${shown(raw)}`);
  const value = Number(text);
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = spec;
  if (value < min || value > max) throw new UsageError(`${where}: ${text} is out of range (${rangeText(spec)})`);
  return value;
}

function rangeText({ min, max = Number.MAX_SAFE_INTEGER }: OptionSpec): string {
  return min === undefined
    ? `at most ${max}`
    : max === Number.MAX_SAFE_INTEGER
      ? `at least ${min}`
      : `${min} to ${max}`;
}

function toText(raw: unknown, where: string): string {
  if (typeof raw === 'number') return String(raw);
  if (typeof raw !== 'string') throw new UsageError(`${where}: expected text, got ${shown(raw)}`);
  if (raw.includes('\0')) throw new UsageError(`${where}: a NUL character is not allowed`);
  return raw;
}

function toList(raw: unknown, where: string): string[] {
  const entries: unknown[] = Array.isArray(raw) ? raw : [raw];
  return entries.map((entry) => toText(entry, where)).filter((entry) => entry !== '');
}

function checked<T extends string | number | boolean>(spec: OptionSpec, value: T, where: string): T {
  if (spec.choices && typeof value === 'string' && !spec.choices.includes(value)) {
    throw new UsageError(`${where}: expected one of ${spec.choices.join(', ')}, got ${shown(value)}`);
  }
  const complaint = spec.validate?.(value);
  if (complaint !== undefined) throw new UsageError(`${where}: ${complaint}`);
  return value;
}

/** A value in a message: quoted, cut, with nothing unprintable. */
function shown(raw: unknown): string {
  if (Array.isArray(raw)) return 'a list';
  if (typeof raw === 'object' && raw !== null) return 'an object';
  const text = JSON.stringify(raw) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
