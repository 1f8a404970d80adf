import yargs from 'yargs';
import { OptionSpec, UsageError } from './spec';
import { parseBoolean, unquoted } from './value';

/**
 * Splitting the command line is yargs' work: names, aliases, `--name value` and `--name=value`, missing values, words.
 * Four things are done around it, each for an input that yargs takes the wrong way (`yargs.test.ts` holds them to it):
 * - values stay text, where yargs' own numbers turn `0x50` into 80, `1e3` into 1000 and `abc` into NaN, which leaves
 *   nothing to say what was wrong; `convertValue` types and checks them;
 * - `--flag=value` is read here, where yargs takes `--flag=1`, `--flag=yes` and `--flag=maybe` for false alike;
 * - quotes that reach the program are taken off a value here, where yargs does so only when it counts no arguments;
 * - what is unknown is collected instead of guessed, where yargs would take `-dash` behind `--api-key` for flags.
 */

/** What the command line said: raw text by option name (a list for lists), and the words that are no option. */
export interface CommandLine {
  readonly given: Map<string, string | boolean | string[]>;
  readonly words: string[];
}

/** An option that a program once had. */
export interface FormerOption {
  /** What to do instead: `use --daemon-mode explorer`. */
  readonly advice: string;
  /** Nothing is missing without it: a file of old that asks for it is read on with a warning, in place of a refusal. */
  readonly needless?: boolean;
}

/** Options that a program once had, by name. */
export type FormerOptions = Readonly<Record<string, FormerOption>>;

/** How yargs is set up here: nothing converted or made up, options that are not declared handed back as words. */
export const YARGS_SETTINGS = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'strip-aliased': true,
  'unknown-options-as-args': true,
} as const;

/**
 * Splits the command line by the declarations.
 * @param former options that are gone, told with what to use instead
 * @throws UsageError on an unknown option or a missing value
 */
export function readCommandLine(
  specs: readonly OptionSpec[],
  argv: readonly string[],
  former: FormerOptions = {},
): CommandLine {
  const { _: words, $0: _program, ...parsed } = parse(specs, withPlainFlags(specs, argv));
  const stranger = words.map(String).find((word) => /^-[^\d]/.test(word));
  if (stranger !== undefined) throw unknownOption(stranger.split('=', 1)[0] ?? stranger, former);
  const given: CommandLine['given'] = new Map();
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  for (const [name, value] of Object.entries(parsed)) {
    const spec = byName.get(name);
    if (spec === undefined) throw unknownOption(name.length === 1 ? `-${name}` : `--${name}`, former);
    const texts = [value].flat().map((text) => (typeof text === 'string' ? unquoted(text) : text));
    // an option given twice: the last one counts
    given.set(name, spec.type === 'list' ? texts.map(String) : (texts.at(-1) as string | boolean));
  }
  return { given, words: words.map(String) };
}

function unknownOption(flag: string, former: FormerOptions = {}): UsageError {
  const name = flag.replace(/^--/, '');
  const advice = Object.hasOwn(former, name) ? former[name]?.advice : undefined;
  return new UsageError(`unknown option ${flag} (${advice ?? 'see --help'})`);
}

type Parsed = Record<string, unknown> & { readonly _: readonly (string | number)[] };

function parse(specs: readonly OptionSpec[], argv: readonly string[]): Parsed {
  const parser = yargs([...argv])
    .parserConfiguration(YARGS_SETTINGS)
    .locale('en')
    .detectLocale(false)
    .updateStrings({ 'Not enough arguments following: %s': '--%s: a value is missing' })
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false);
  for (const { name, type, aliases = [] } of specs) {
    parser.option(name, { alias: aliases, ...(type === 'boolean' ? { boolean: true } : { string: true, nargs: 1 }) });
  }
  try {
    return parser.parseSync();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.replace(/^--(?=.:)/, '-'));
  }
}

/** Every `--flag=value` of a boolean as `--flag=true` or `--flag=false`; a `--` alone, which pnpm passes on, left out. */
function withPlainFlags(specs: readonly OptionSpec[], argv: readonly string[]): string[] {
  const flags = new Set(
    specs
      .filter(({ type }) => type === 'boolean')
      .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      .map((name) => (name.length === 1 ? `-${name}` : `--${name}`)),
  );
  return argv
    .filter((word) => word !== '--')
    .map((word) => {
      const equals = word.indexOf('=');
      const flag = word.slice(0, equals);
      if (equals < 0 || !flags.has(flag)) return word;
      const text = word.slice(equals + 1);
      const value = parseBoolean(text);
      if (value === undefined) throw new UsageError(`${flag}: expected true or false, got ${JSON.stringify(text)}`);
      return `${flag}=${String(value)}`;
    });
}
