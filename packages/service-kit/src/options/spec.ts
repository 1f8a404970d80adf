/** The kinds of value an option can hold. `list` is a list of strings: a repeated option, or a JSON array in a file. */
export type OptionType = 'string' | 'number' | 'boolean' | 'list';

/** What an option holds before anyone sets it; `undefined` means "not set". */
export type OptionDefault = string | number | boolean | readonly string[] | undefined;

/**
 * One start-up option, declared once. The declaration feeds the command line, the configuration file,
 * `--save-config`, `--dump-config` and `--help`.
 */
export interface OptionSpec {
  /** The long name without dashes, e.g. `rpc-bind-port`; the key in a configuration file too. */
  readonly name: string;
  readonly type: OptionType;
  readonly default: OptionDefault;
  /** One sentence for `--help`. */
  readonly help: string;
  /** The heading of `--help` it stands under. */
  readonly group: string;
  /** Shown in `--help` in place of the default, for defaults worked out later (e.g. "the network's port"). */
  readonly defaultText?: string;
  /** Further spellings: single letters (`c` gives `-c`) and long names, which a configuration file may use too. */
  readonly aliases?: readonly string[];
  /** The only strings allowed (strings and lists); the value's type is their union. */
  readonly choices?: readonly string[];
  /** Lowest and highest value allowed (numbers; both inclusive). */
  readonly min?: number;
  readonly max?: number;
  /** Numbers are whole unless this is true. */
  readonly fraction?: boolean;
  /** An action of one start (import, verify...): ignored in a configuration file, never saved. */
  readonly oneShot?: boolean;
  /** Tokens and passwords: shown as `***` in `--dump-config`. */
  readonly secret?: boolean;
  /** Asks for a text and ends the start with it, before anything else is done: `--os-version`. For booleans. */
  readonly prints?: () => string;
  /** Accepted for the sake of older configurations, and why it changes nothing here: told as a warning when it is given. */
  readonly noEffect?: string;
  /** What it is part of is not built yet: a start with another value than the default is refused. */
  readonly unbuilt?: boolean;
  /** Not listed in `--help`. */
  readonly hidden?: boolean;
  /** A further check of one value (each entry, for a list). Returns what is wrong, or undefined when it is fine. */
  readonly validate?: (value: string | number | boolean) => string | undefined;
}

/** What a text may be: one of the choices where there are some. */
type TextOf<S extends OptionSpec> = S extends { readonly choices: readonly (infer Choice extends string)[] }
  ? Choice
  : string;

/** The value types by option type. */
interface ValueTypes<Text extends string> {
  string: Text;
  number: number;
  boolean: boolean;
  list: Text[];
}

type ValueOf<S extends OptionSpec> = S['default'] extends undefined
  ? ValueTypes<TextOf<S>>[S['type']] | undefined
  : ValueTypes<TextOf<S>>[S['type']];

/** The values of a set of options under their own names; an option whose default is undefined may be undefined. */
export type OptionValues<S extends readonly OptionSpec[]> = {
  readonly [K in S[number] as K['name']]: ValueOf<K>;
};

/** One option's value as the parser holds it. */
export type OptionValue = string | number | boolean | string[] | undefined;

/** Keeps the literal types of a list of declarations, so that the parsed values are typed by name. */
export function defineOptions<const S extends readonly OptionSpec[]>(specs: S): S {
  return specs;
}

/**
 * Ends the program before it starts: a usage error, or text asked for (`--help`, `--version`, `--dump-config`).
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

/** A bad option, a bad value or a bad configuration file: exit code 1. */
export class UsageError extends EarlyExit {
  constructor(message: string) {
    super(message, 1);
    this.name = 'UsageError';
  }
}
