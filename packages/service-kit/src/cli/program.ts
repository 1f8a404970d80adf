import yargs from 'yargs';
import { versionLine } from '../version';
import {
  configurationText,
  explanationText,
  type OptionSource,
  readConfigFile,
  saveConfiguration,
} from './config-file';
import {
  convertValue,
  EarlyExit,
  FALSE_WORDS,
  type OptionSpec,
  type OptionValue,
  type OptionValues,
  parseBoolean,
  STANDARD_OPTIONS,
  typeOfOption,
  unquoted,
  UsageError,
} from './options';

/*
 * yargs parses the command line and prints the help. This module adds what yargs gets wrong (`yargs.test.ts` shows each):
 * - yargs converts `0x50` to 80, `1e3` to 1000 and `abc` to NaN: values stay text, `convertValue` converts them;
 * - yargs reads `--flag=1`, `--flag=yes` and `--flag=maybe` as false;
 * - yargs keeps quotes around a value of an option that takes one argument;
 * - yargs splits `-dash` in `--api-key -dash` into flags, and its commands take an unknown option as an argument. So
 *   unknown options are returned as words and refused here, and commands are only printed by yargs.
 * It also adds configuration files with the source of each value; errors of yargs' `config` contain neither file nor key.
 */
const YARGS_SETTINGS = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'strip-aliased': true,
  'unknown-options-as-args': true,
} as const;

type Values = Readonly<Record<string, OptionValue>>;
type Specs = readonly OptionSpec[];

/** Options of older versions or other programs, by name. */
export type FormerOptions = Readonly<
  Record<
    string,
    {
      /** Replacement, e.g. `use --daemon-mode explorer`. */
      readonly advice: string;
      /** The option is not needed: in a configuration file it causes a warning, not an error. */
      readonly needless?: boolean;
    }
  >
>;

/** Values set by one option; values from the command line or a file take precedence. */
export interface OptionPreset {
  /** The boolean option that enables the preset. */
  readonly option: string;
  readonly values: Values;
}

/** A check across the resolved options. Returns an error text, or undefined. */
export type OptionsCheck = (values: Values) => string | undefined;

/** Values in force where they differ from the resolved ones, by name: a port that depends on the network. */
export type EffectiveValues = (values: Values, sources: ReadonlyMap<string, OptionSource>) => Values;

interface ResolveOptions {
  readonly check?: OptionsCheck | undefined;
  readonly presets?: readonly OptionPreset[];
  /** For `--dump-config` and `--explain-config`. */
  readonly effective?: EffectiveValues | undefined;
  readonly former?: FormerOptions | undefined;
}

/** An argument that is not an option, e.g. the socket of `attach <socket>`. */
interface ArgumentSpec {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly help: string;
  readonly optional?: boolean;
}

/** A command of a program, named by the first words: `wrkz-daemon attach <socket>`, `wrkz-proposals admin add`. */
export interface CommandSpec {
  /** One or more words, e.g. `admin add`. */
  readonly name: string;
  readonly help: string;
  readonly options: Specs;
  /** Optional arguments last. */
  readonly arguments?: readonly ArgumentSpec[];
  readonly check?: OptionsCheck;
  readonly effective?: EffectiveValues;
}

/** A program without commands, or the options of a program without its commands. */
export interface ProgramMeta extends ResolveOptions {
  /** The name of the executable, e.g. `wrkz-daemon`. */
  readonly name: string;
  /** One sentence at the top of `--help`. */
  readonly description?: string;
  readonly commands?: readonly CommandSpec[];
}

export interface ProgramSpec<Main extends Specs, Commands extends readonly CommandSpec[]> extends ProgramMeta {
  /** The options without a command; undefined if the program requires a command. */
  readonly options?: Main;
  readonly commands: Commands;
}

interface Resolution {
  readonly values: Values;
  readonly source: (name: string) => OptionSource;
  /** To be logged once a logger exists. */
  readonly warnings: readonly string[];
  /** The values of secret options, for the logger to hide. */
  readonly secrets: readonly string[];
}

export interface ParsedOptions<S extends Specs> extends Omit<Resolution, 'values' | 'source'> {
  readonly values: OptionValues<S>;
  readonly source: (name: S[number]['name']) => OptionSource;
  /** Arguments that are not options. */
  readonly words: readonly string[];
}

/** The called command with its options; `command` is undefined without a command. */
export type ParsedCommand<Main extends Specs, Commands extends readonly CommandSpec[]> =
  | ({ readonly command: undefined } & ParsedOptions<Main>)
  | {
      [I in keyof Commands]: { readonly command: Commands[I]['name'] } & ParsedOptions<Commands[I]['options']>;
    }[number];

/** Preserves the literal types of a list of commands. */
export function defineCommands<const C extends readonly CommandSpec[]>(commands: C): C {
  return commands;
}

/**
 * Resolves the options; precedence: command line, file, preset, default. `--help`, `--version`, options that print,
 * `--dump-config`, `--explain-config` and `--save-config` end in an EarlyExit with code 0.
 * @param argv the arguments alone, i.e. `process.argv.slice(2)`
 * @throws EarlyExit, UsageError
 */
export function parseOptions<const S extends Specs>(
  options: S,
  argv: readonly string[],
  meta: ProgramMeta,
): ParsedOptions<S> {
  const { given, words } = readCommandLine({ ...meta, options }, argv, meta.former);
  if (words.length > 0) throw new UsageError(`unexpected argument ${words[0]} (see --help)`);
  return { ...resolveOptions(options, given, meta), words } as unknown as ParsedOptions<S>;
}

/**
 * Finds the command and resolves its options as `parseOptions` does; `words` are its arguments. All commands of a
 * program can share a configuration file: each ignores the options of the others.
 * @throws EarlyExit, UsageError
 */
export function parseCommand<
  const Main extends Specs = readonly [],
  const Commands extends readonly CommandSpec[] = readonly [],
>(program: ProgramSpec<Main, Commands>, line: readonly string[]): ParsedCommand<Main, Commands> {
  // pnpm passes its own `--` on
  const argv = line.filter((word) => word !== '--');
  const [command] = program.commands
    .filter(({ name }) => startsWith(argv, name.split(' ')))
    .sort((a, b) => b.name.length - a.name.length);
  const { options = [], commands, former } = program;
  const { given, words } =
    command === undefined ? readMain(program, argv) : readCommand(program.name, command, argv, former);
  const elsewhere = [...options, ...commands.flatMap((other) => other.options)];
  const resolved = resolveOptions(
    command?.options ?? options,
    given,
    command === undefined ? program : { ...command, former },
    elsewhere,
  );
  return { command: command?.name, ...resolved, words } as unknown as ParsedCommand<Main, Commands>;
}

function startsWith(argv: readonly string[], words: readonly string[]): boolean {
  return words.every((word, i) => argv[i] === word);
}

function readCommand(
  program: string,
  { name, help, options, arguments: expected = [] }: CommandSpec,
  argv: readonly string[],
  former?: FormerOptions,
): CommandLine {
  const page = { name: program, command: name, description: help, options, arguments: expected };
  const line = readCommandLine(page, argv.slice(name.split(' ').length), former);
  const missing = expected.find(({ optional }, i) => optional !== true && line.words[i] === undefined);
  if (missing !== undefined) throw new UsageError(`${name}: <${missing.name}> is missing (see --help)`);
  const extra = line.words[expected.length];
  if (extra !== undefined) throw new UsageError(`${name}: unexpected argument ${extra} (see --help)`);
  return line;
}

/** The command line of a program without a command, or an error or help that lists the commands. */
function readMain(program: ProgramSpec<Specs, readonly CommandSpec[]>, argv: readonly string[]): CommandLine {
  const line = readCommandLine({ ...program, options: program.options ?? [] }, argv, program.former);
  const [word] = line.words;
  if (word !== undefined && argv[0] !== word) throw new UsageError('a command stands before its options (see --help)');
  const names = commandsAfter(line.words, program.commands).map(({ name }) => name);
  if (word !== undefined && names.length === 0) throw new UsageError(`unexpected argument ${word} (see --help)`);
  const expected = `expected one of ${names.join(', ')}`;
  if (word !== undefined) throw new UsageError(`${line.words.join(' ')}: ${expected}`);
  if (program.options === undefined) throw new UsageError(`${expected} (see --help)`);
  return line;
}

/** The commands whose names begin with the words. */
function commandsAfter(words: readonly string[], commands: readonly CommandSpec[] = []): CommandSpec[] {
  return commands.filter(({ name }) => startsWith(name.split(' '), words));
}

/** One page of `--help`: a program, or a command of a program. */
interface HelpPage extends Pick<ProgramMeta, 'name' | 'description' | 'commands'> {
  readonly options: Specs;
  readonly command?: string;
  readonly arguments?: readonly ArgumentSpec[];
}

/** Raw values by option name, and the arguments that are not options. */
interface CommandLine {
  readonly given: Map<string, string | boolean | string[]>;
  readonly words: string[];
}

/** @throws EarlyExit for `--help` and `--version`, UsageError for an unknown option or a missing value */
function readCommandLine(page: HelpPage, argv: readonly string[], former: FormerOptions = {}): CommandLine {
  const all = [...page.options, ...STANDARD_OPTIONS];
  const { _: rest, $0: _program, ...parsed } = parse(page, withPlainFlags(all, argv));
  const words = rest.map(String);
  const undeclared = Object.keys(parsed).find((name) => !all.some((spec) => spec.name === name));
  const unknown =
    undeclared === undefined
      ? words.find((word) => /^-[^\d]/.test(word))
      : `${undeclared.length === 1 ? '-' : '--'}${undeclared}`;
  if (unknown !== undefined) {
    const flag = unknown.split('=', 1)[0] ?? unknown;
    const name = flag.replace(/^--/, '');
    const advice = Object.hasOwn(former, name) ? former[name]?.advice : undefined;
    throw new UsageError(`unknown option ${flag} (${advice ?? 'see --help'})`);
  }
  if (parsed['help'] === true)
    throw new EarlyExit(helpText({ ...page, commands: commandsAfter(words, page.commands) }), 0);
  if (parsed['version'] === true) throw new EarlyExit(versionLine(page.name), 0);
  const clean = (value: unknown) => (typeof value === 'string' ? unquoted(value) : (value as boolean));
  const given: CommandLine['given'] = new Map();
  for (const [name, value] of Object.entries(parsed))
    given.set(name, Array.isArray(value) ? value.map(clean).map(String) : clean(value));
  return { given, words };
}

type Parsed = Record<string, unknown> & { readonly _: readonly (string | number)[] };

function parse(page: HelpPage, argv: readonly string[]): Parsed {
  try {
    return pageParser(page, argv).parseSync();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.replace(/^--(?=.:)/, '-'));
  }
}

/** @param argv the command line; undefined for a parser that only prints the help */
function pageParser(page: HelpPage, argv?: readonly string[]) {
  const { name, command, description, options, arguments: expected = [] } = page;
  const call = [name, ...(command === undefined ? [] : [command]), '[options]', ...expected.map(argumentText)];
  const parser = yargs([...(argv ?? [])])
    .scriptName(name)
    .usage(
      [versionLine(name), ...(description === undefined ? [] : [description]), `Usage: ${call.join(' ')}`].join('\n\n'),
    )
    .parserConfiguration(YARGS_SETTINGS)
    .locale('en')
    .detectLocale(false)
    .updateStrings({ 'Not enough arguments following: %s': '--%s: a value is missing' })
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false)
    .wrap(100);
  for (const spec of [...options, ...STANDARD_OPTIONS]) {
    const { aliases = [], help, group, hidden = false, choices } = spec;
    const type = typeOfOption(spec);
    parser.option(spec.name, {
      // as a number and a string: yargs keeps the text and prints [number]
      ...(type === 'boolean' ? { boolean: true } : { string: true, nargs: 1 }),
      number: type === 'number',
      // yargs reads `--peer=` of an array as a missing value
      array: type === 'list' && argv === undefined,
      alias: aliases,
      describe: choices === undefined ? help : `${help} (${choices.join(', ')})`,
      group: `${group}:`,
      hidden,
      defaultDescription: spec.defaultText ?? [spec.default ?? ''].flat().join(','),
    });
  }
  return parser;
}

function argumentText({ name, optional }: ArgumentSpec): string {
  return optional === true ? `[${name}]` : `<${name}>`;
}

export function helpText(page: HelpPage): string {
  const parser = pageParser(page);
  const { commands = [], arguments: expected = [] } = page;
  if (expected.length > 0) {
    parser.command(['$0', ...expected.map(argumentText)].join(' '), '', (command) =>
      expected.reduce((rest, { name, help }) => rest.positional(name, { describe: help, type: 'string' }), command),
    );
  }
  for (const { name, help, arguments: following = [] } of commands)
    parser.command([name, ...following.map(argumentText)].join(' '), help);
  let text = '';
  parser.showHelp((shown: string) => (text = shown));
  return text;
}

/** Every `--flag=value` of a boolean as `--flag=true` or `--flag=false`, without a `--` alone, which pnpm passes on. */
function withPlainFlags(specs: Specs, argv: readonly string[]): string[] {
  const flags = specs
    .filter((spec) => typeOfOption(spec) === 'boolean')
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
  return argv
    .filter((word) => word !== '--')
    .map((word) => {
      const flag = word.split('=', 1)[0] ?? '';
      if (!word.includes('=') || !flags.includes(flag)) return word;
      return `${flag}=${String(parseBoolean(word.slice(flag.length + 1), flag))}`;
    });
}

/**
 * Options that print, `--dump-config`, `--explain-config` and `--save-config` come before the check across options, so
 * that an operator can inspect a refused configuration.
 * @param elsewhere options of the program's other commands, ignored in a file
 */
function resolveOptions(
  specs: Specs,
  given: CommandLine['given'],
  { check, effective, former, presets = [] }: ResolveOptions,
  elsewhere: Specs = [],
): Resolution {
  const values: Record<string, OptionValue> = {};
  const sources = new Map<string, OptionSource>();
  const warnings: string[] = [];
  const set = (name: string, value: OptionValue, source: OptionSource): void => {
    values[name] = value;
    sources.set(name, source);
  };
  for (const spec of specs)
    set(spec.name, typeof spec.default === 'object' ? [...spec.default] : spec.default, 'default');
  const path = given.get('config-file');
  if (typeof path === 'string') {
    for (const [key, raw] of readConfigFile(path)) {
      const spec = findByKey([...specs, ...STANDARD_OPTIONS], key);
      if (spec === undefined && findByKey(elsewhere, key) === undefined)
        warnings.push(...formerKeyWarnings(key, raw, path, former));
      if (spec === undefined || raw === null) continue;
      const where = `key ${key} in ${path}`;
      if (spec.oneShot !== true) set(spec.name, convertValue(spec, raw, where), 'file');
      else if (!isOff(raw))
        throw new UsageError(`${where}: --${spec.name} is an action of one start and belongs on the command line`);
    }
  }
  for (const spec of specs) {
    const raw = given.get(spec.name);
    if (raw !== undefined) set(spec.name, convertValue(spec, raw, `--${spec.name}`), 'command line');
  }
  for (const preset of presets.filter(({ option }) => values[option] === true)) {
    const free = specs.filter(({ name }) => name in preset.values && sources.get(name) === 'default');
    for (const { name } of free) set(name, preset.values[name], 'preset');
  }

  const printed = specs.find(({ name, prints }) => prints !== undefined && values[name] === true);
  if (printed?.prints !== undefined) throw new EarlyExit(printed.prints(), 0);
  const inForce = (): Values => ({ ...values, ...effective?.(values, sources) });
  if (given.get('dump-config') === true) throw new EarlyExit(configurationText(specs, inForce(), 'hidden'), 0);
  if (given.get('explain-config') === true) throw new EarlyExit(explanationText(specs, inForce(), sources, path), 0);
  const target = given.get('save-config');
  if (typeof target === 'string') {
    saveConfiguration(target, specs, values);
    throw new EarlyExit(`configuration saved to ${target}`, 0);
  }
  const error = check?.(values);
  if (error !== undefined) throw new UsageError(error);
  for (const { name, noEffect, default: initial } of specs) {
    // a saved configuration contains every option; an unchanged default is not a request
    const isChanged = JSON.stringify(values[name]) !== JSON.stringify(initial);
    if (noEffect !== undefined && (isChanged || sources.get(name) === 'command line'))
      warnings.push(`--${name} has no effect: ${noEffect}`);
  }
  const secrets = specs.filter(({ secret }) => secret === true).flatMap(({ name }) => [values[name] ?? ''].flat());
  return {
    values,
    source: (name) => sources.get(name) ?? 'default',
    warnings,
    secrets: secrets.map(String).filter((text) => text !== ''),
  };
}

/** Warnings of an unknown key that may be ignored. @throws UsageError for any other unknown key */
function formerKeyWarnings(key: string, raw: unknown, path: string, former: FormerOptions = {}): string[] {
  const spec = Object.hasOwn(former, key) ? former[key] : undefined;
  if (spec !== undefined && isOff(raw)) return [];
  if (spec?.needless === true) return [`key ${key} in ${path} is ignored: ${spec.advice}`];
  const advice = spec === undefined ? '' : ` (${spec.advice})`;
  throw new UsageError(`unknown key ${JSON.stringify(key)} in the configuration file ${path}${advice}`);
}

/** False, 0 or empty: the value in a saved configuration of an option that nobody set. */
function isOff(raw: unknown): boolean {
  const value: unknown = Array.isArray(raw) ? raw.at(-1) : raw;
  if (value === null || value === undefined) return true;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ['', ...FALSE_WORDS].includes(text.toLowerCase());
}

function findByKey(specs: Specs, key: string): OptionSpec | undefined {
  return specs.find(({ name, aliases = [] }) => name === key || (key.length > 1 && aliases.includes(key)));
}
