/** The types of value of an option. `list` is a list of strings: a repeated option, or a JSON array in a file. */
export type OptionType = 'string' | 'number' | 'boolean' | 'list';

/**
 * One start-up option, declared once. The declaration feeds the command line, the configuration file,
 * `--save-config`, `--dump-config` and `--help`.
 */
export interface OptionSpec {
  /** The long name without dashes, e.g. `rpc-bind-port`; also the key in a configuration file. */
  readonly name: string;
  /** For options without a default. Default: the type of the default. */
  readonly type?: OptionType;
  /** `undefined` means "not set". */
  readonly default: string | number | boolean | readonly string[] | undefined;
  /** One sentence for `--help`. */
  readonly help: string;
  readonly group: string;
  /** Replaces the default in `--help`, for defaults computed later (e.g. "the network's port"). */
  readonly defaultText?: string;
  /** Other names: single letters (`c` gives `-c`) and long names, which are also keys in a configuration file. */
  readonly aliases?: readonly string[];
  /** The only strings allowed (strings and lists); the value's type is their union. */
  readonly choices?: readonly string[];
  /** Range of a number, both ends inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** Numbers are whole unless this is true. */
  readonly fraction?: boolean;
  /** An action of one start (import, verify...): refused in a configuration file, never saved. */
  readonly oneShot?: boolean;
  /** Tokens and passwords: shown as `***` in `--dump-config`. */
  readonly secret?: boolean;
  /** For booleans: print this text and exit (`--os-version`). */
  readonly prints?: () => string;
  /** Accepted for older configurations; the text says why the option has no effect and is logged as a warning. */
  readonly noEffect?: string;
  /** Not listed in `--help`. */
  readonly hidden?: boolean;
  /** Checks one value (each entry of a list). Returns an error text, or undefined. */
  readonly validate?: (value: string | number | boolean) => string | undefined;
}

/** A declaration before `inGroup`. */
type Ungrouped = Omit<OptionSpec, 'group'>;

type TextOf<S extends Ungrouped> = S extends { readonly choices: readonly (infer Choice extends string)[] }
  ? Choice
  : string;

interface ValueTypes<Text extends string> {
  string: Text;
  number: number;
  boolean: boolean;
  list: Text[];
}

type TypeOf<S extends Ungrouped> = S extends { readonly type: infer Type extends OptionType }
  ? Type
  : S extends { readonly default: string }
    ? 'string'
    : S extends { readonly default: number }
      ? 'number'
      : S extends { readonly default: boolean }
        ? 'boolean'
        : 'list';

type ValueOf<S extends Ungrouped> = S['default'] extends undefined
  ? ValueTypes<TextOf<S>>[TypeOf<S>] | undefined
  : ValueTypes<TextOf<S>>[TypeOf<S>];

export function typeOfOption({ type, default: value }: OptionSpec): OptionType {
  if (type !== undefined) return type;
  return typeof value === 'object' ? 'list' : (typeof value as 'string' | 'number' | 'boolean');
}

/** Option values by option name; an option whose default is undefined may be undefined. */
export type OptionValues<S extends readonly Ungrouped[]> = {
  readonly [K in S[number] as K['name']]: ValueOf<K>;
};

export type OptionValue = string | number | boolean | string[] | undefined;

/** Keeps the literal types of a list of declarations, so that the parsed values are typed by name. */
export function defineOptions<const S extends readonly OptionSpec[]>(specs: S): S {
  return specs;
}

/** Puts declarations below one heading of `--help`. */
export function inGroup<const S extends readonly Ungrouped[]>(group: string, specs: S) {
  return specs.map((spec) => ({ ...spec, group })) as unknown as {
    readonly [Index in keyof S]: S[Index] & { readonly group: string };
  };
}

const STANDARD_FLAG = { default: false, oneShot: true, group: 'General' } as const;
const STANDARD_FILE = { type: 'string', default: undefined, oneShot: true, group: 'General' } as const;

export const STANDARD_OPTIONS: readonly OptionSpec[] = [
  { ...STANDARD_FLAG, name: 'help', aliases: ['h'], help: 'Show this help and exit' },
  { ...STANDARD_FLAG, name: 'version', aliases: ['v'], help: 'Show the version and exit' },
  {
    ...STANDARD_FILE,
    name: 'config-file',
    aliases: ['c', 'config'],
    help: 'Read options from this INI or JSON file; the command line wins',
  },
  { ...STANDARD_FILE, name: 'save-config', help: 'Write the resolved configuration to this file and exit' },
  {
    ...STANDARD_FLAG,
    name: 'dump-config',
    help: 'Print the resolved configuration as JSON (secrets hidden) and exit',
  },
  {
    ...STANDARD_FLAG,
    name: 'explain-config',
    help: 'Print every value in force and its source (secrets hidden) and exit',
  },
];

/**
 * Ends the program before it starts: a usage error, or a requested text (`--help`, `--version`, `--dump-config`).
 * `runMain` prints `message` (to stdout when `exitCode` is 0, else to stderr) and exits with `exitCode`.
 */
export class EarlyExit extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
    this.name = 'EarlyExit';
  }
}

/** An unknown option, an invalid value or an invalid configuration file: exit code 1. */
export class UsageError extends EarlyExit {
  constructor(message: string) {
    super(message, 1);
    this.name = 'UsageError';
  }
}

const TRUE_WORDS = ['true', '1', 'yes', 'on'];
export const FALSE_WORDS = ['false', '0', 'no', 'off'];

/** `true`/`1`/`yes`/`on` and their opposites in any case. @param where source of the value, for the error @throws UsageError */
export function parseBoolean(raw: unknown, where: string): boolean {
  const word = String(raw).trim().toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  if (FALSE_WORDS.includes(word)) return false;
  throw new UsageError(`${where}: expected true or false, got ${shown(raw)}`);
}

/**
 * Removes a pair of quotes that encloses a whole text, as used in configuration files and service units. In `"my program" "%s"`
 * the first and last quotes are not a pair.
 */
export function unquoted(text: string): string {
  const quote = text.charAt(0);
  const inside = text.slice(1, -1);
  if (text.length < 2 || (quote !== '"' && quote !== "'") || !text.endsWith(quote)) return text;
  const others = inside.split(quote).length - 1;
  return others > 0 && others % 2 === 0 ? text : inside;
}

/**
 * Converts and checks a value: text from the command line or an INI file, any JSON value from a JSON file. A repeated
 * option that is not a list: the last value counts. `where` is the source of the value for errors, e.g. `--rpc-bind-port`.
 * @throws UsageError
 */
export function convertValue(spec: OptionSpec, given: unknown, where: string): OptionValue {
  const type = typeOfOption(spec);
  if (type === 'list') {
    const texts = [given].flat().map((entry) => toText(entry, where));
    return texts.filter((text) => text !== '').map((text) => checked(spec, text, where));
  }
  const raw: unknown = Array.isArray(given) && given.length > 0 ? given.at(-1) : given;
  if (type === 'boolean') return checked(spec, parseBoolean(raw, where), where);
  return checked(spec, type === 'number' ? toNumber(spec, raw, where) : toText(raw, where), where);
}

function toNumber({ fraction = false, min, max }: OptionSpec, raw: unknown, where: string): number {
  const pattern = fraction ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  const text = typeof raw === 'string' || typeof raw === 'number' ? String(raw).trim() : '';
  if (!pattern.test(text))
    throw new UsageError(`${where}: expected ${fraction ? 'a number' : 'a whole number'}, got ${shown(raw)}`);
  const value = Number(text);
  if (value >= (min ?? Number.MIN_SAFE_INTEGER) && value <= (max ?? Number.MAX_SAFE_INTEGER)) return value;
  const highest = max ?? Number.MAX_SAFE_INTEGER;
  const range =
    min === undefined ? `at most ${highest}` : max === undefined ? `at least ${min}` : `${min} to ${highest}`;
  throw new UsageError(`${where}: ${text} is out of range (${range})`);
}

function toText(raw: unknown, where: string): string {
  if (typeof raw === 'number') return String(raw);
  if (typeof raw !== 'string') throw new UsageError(`${where}: expected text, got ${shown(raw)}`);
  if (raw.includes('\0')) throw new UsageError(`${where}: a NUL character is not allowed`);
  return raw;
}

function checked<T extends string | number | boolean>(spec: OptionSpec, value: T, where: string): T {
  if (spec.choices && typeof value === 'string' && !spec.choices.includes(value)) {
    throw new UsageError(`${where}: expected one of ${spec.choices.join(', ')}, got ${shown(value)}`);
  }
  const error = spec.validate?.(value);
  if (error !== undefined) throw new UsageError(`${where}: ${error}`);
  return value;
}

/** A value for an error text: quoted, truncated, without unprintable characters. */
function shown(raw: unknown): string {
  if (Array.isArray(raw)) return 'a list';
  if (typeof raw === 'object' && raw !== null) return 'an object';
  const text = JSON.stringify(raw) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
