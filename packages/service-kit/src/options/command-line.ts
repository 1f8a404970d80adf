import yargs from 'yargs';
import { OptionSpec, UsageError } from './spec';
import { parseBoolean } from './value';

/** What the command line said: raw text by option name (a list for lists), and the words that are no option. */
export interface CommandLine {
  readonly given: Map<string, string | boolean | string[]>;
  readonly words: string[];
}

/** The help text of a set of options. */
export function helpText(specs: readonly OptionSpec[], usage: string): string {
  let text = '';
  builder(specs, [])
    .usage(usage)
    .showHelp((shown: string) => (text = shown));
  return text;
}

/**
 * Splits the command line by the declarations. Values stay text: `convertValue` types and checks them.
 * @throws UsageError on an unknown option or a missing value
 */
export function readCommandLine(specs: readonly OptionSpec[], argv: readonly string[]): CommandLine {
  const prepared = prepareArguments(specs, argv);
  let parsed: Record<string, unknown> & { _: (string | number)[] };
  try {
    parsed = builder(specs, prepared).parseSync();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const given: CommandLine['given'] = new Map();
  for (const spec of specs) {
    const value = parsed[spec.name];
    if (value === undefined) continue;
    if (spec.type === 'list') given.set(spec.name, [value].flat().map(String));
    // an option given twice: the last one counts
    else given.set(spec.name, [value].flat().at(-1) as string | boolean);
  }
  return { given, words: parsed._.map(String) };
}

/**
 * Writes every boolean as `--name=true|false`, which also refuses `--flag=maybe`, and refuses unknown options and
 * missing values in our own words.
 */
function prepareArguments(specs: readonly OptionSpec[], argv: readonly string[]): string[] {
  const byFlag = new Map<string, OptionSpec>();
  for (const spec of specs) {
    byFlag.set(`--${spec.name}`, spec);
    if (spec.alias) byFlag.set(spec.alias.length === 1 ? `-${spec.alias}` : `--${spec.alias}`, spec);
  }
  const prepared: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') continue;
    if (!/^-[^\d]/.test(word)) {
      prepared.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const spec = byFlag.get(flag);
    if (!spec) throw new UsageError(`unknown option ${flag} (see --help)`);
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    const next = argv[i + 1];
    if (spec.type === 'boolean') {
      if (value === undefined && (next === 'true' || next === 'false')) value = argv[++i];
      const flagValue = parseBoolean(value ?? 'true');
      if (flagValue === undefined)
        throw new UsageError(`${flag}: expected true or false, got ${JSON.stringify(value)}`);
      value = String(flagValue);
    } else if (value === undefined) {
      if (next === undefined || byFlag.has(next.split('=')[0]!)) throw new UsageError(`${flag}: a value is missing`);
      value = argv[++i];
    }
    prepared.push(`--${spec.name}=${value}`);
  }
  return prepared;
}

function builder(specs: readonly OptionSpec[], argv: readonly string[]) {
  let parser = yargs([...argv])
    .parserConfiguration({
      'camel-case-expansion': false,
      'boolean-negation': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'greedy-arrays': false,
    })
    .locale('en')
    .detectLocale(false)
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false)
    .strictOptions()
    .wrap(100);
  for (const spec of specs) {
    parser = parser.option(spec.name, {
      type: spec.type === 'boolean' ? 'boolean' : 'string',
      array: spec.type === 'list',
      describe: spec.choices === undefined ? spec.help : `${spec.help} (${spec.choices.join(', ')})`,
      group: `${spec.group}:`,
      hidden: spec.hidden ?? false,
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      ...(defaultText(spec) === undefined ? {} : { defaultDescription: defaultText(spec)! }),
    });
  }
  return parser;
}

function defaultText(spec: OptionSpec): string | undefined {
  if (spec.defaultText !== undefined) return spec.defaultText;
  if (spec.default === undefined || spec.default === '' || spec.default === false) return undefined;
  const text = Array.isArray(spec.default) ? spec.default.join(',') : String(spec.default);
  return text === '' ? undefined : text;
}
