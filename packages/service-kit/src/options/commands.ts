import { versionLine } from '../version';
import { type CommandLine, type FormerOptions, readCommandLine } from './command-line';
import { argumentText, type HelpPage, helpText, type ListedCommand } from './help';
import { type ParsedOptions, typed, usageText } from './parse';
import { type EffectiveValues, type OptionsCheck, resolveOptions } from './resolve';
import { EarlyExit, type OptionSpec, UsageError } from './spec';
import { STANDARD_OPTIONS } from './standard';

/** A command of a program, called by words at the start: `wrkz-daemon attach <socket>`, `wrkz-proposals admin add`. */
export interface CommandSpec extends ListedCommand {
  readonly options: readonly OptionSpec[];
  readonly check?: OptionsCheck;
}

/** A program with commands. */
export interface ProgramSpec<Main extends readonly OptionSpec[], Commands extends readonly CommandSpec[]> {
  /** The name of the executable. */
  readonly name: string;
  /** One sentence at the top of `--help`. */
  readonly description?: string;
  /** The options of the program called without a command; left out when it does nothing then. */
  readonly options?: Main;
  readonly check?: OptionsCheck;
  /** What the program makes of options that nobody set, for `--explain-config`. */
  readonly effective?: EffectiveValues;
  readonly former?: FormerOptions;
  readonly commands: Commands;
}

/** The command that was called, with what it was given; `command` undefined for none. */
export type ParsedCommand<Main extends readonly OptionSpec[], Commands extends readonly CommandSpec[]> =
  | ({ readonly command: undefined } & ParsedOptions<Main>)
  | {
      [I in keyof Commands]: { readonly command: Commands[I]['name'] } & ParsedOptions<Commands[I]['options']>;
    }[number];

/** Keeps the literal types of a list of commands. */
export function defineCommands<const C extends readonly CommandSpec[]>(commands: C): C {
  return commands;
}

/**
 * Finds the command and resolves its options as `parseOptions` does; `words` are its arguments. A configuration file
 * may hold the options of every command of the program: each takes its own.
 * @throws EarlyExit, UsageError
 */
export function parseCommand<
  const Main extends readonly OptionSpec[] = readonly [],
  const Commands extends readonly CommandSpec[] = readonly [],
>(program: ProgramSpec<Main, Commands>, line: readonly string[]): ParsedCommand<Main, Commands> {
  // pnpm passes a `--` of its own on, which then stands before the command
  const argv = line.filter((word) => word !== '--');
  const [command] = program.commands
    .filter(({ name }) => startsWith(argv, name.split(' ')))
    .sort((a, b) => b.name.length - a.name.length);
  const parsed = command === undefined ? parseMain(program, argv) : parseOne(program, command, argv);
  return { command: command?.name, ...parsed } as ParsedCommand<Main, Commands>;
}

type AnyProgram = ProgramSpec<readonly OptionSpec[], readonly CommandSpec[]>;
type AnyParsed = ParsedOptions<readonly OptionSpec[]>;

function startsWith(argv: readonly string[], words: readonly string[]): boolean {
  return words.every((word, i) => argv[i] === word);
}

function parseOne(program: AnyProgram, command: CommandSpec, argv: readonly string[]): AnyParsed {
  const { name, help, arguments: expected = [], options } = command;
  const all = [...options, ...STANDARD_OPTIONS];
  const { given, words } = readCommandLine(all, argv.slice(name.split(' ').length), program.former);
  const call = [program.name, name, '[options]', ...expected.map(argumentText)];
  const usage = usageText({ name: program.name, description: help }, call);
  answerStandard(program, given, { usage, options: all, arguments: expected });
  const missing = expected.find(({ optional }, i) => optional !== true && words[i] === undefined);
  if (missing !== undefined) throw new UsageError(`${name}: <${missing.name}> is missing (see --help)`);
  const extra = words[expected.length];
  if (extra !== undefined) throw new UsageError(`${name}: unexpected argument ${extra} (see --help)`);
  const elsewhere = [...(program.options ?? []), ...program.commands.flatMap((other) => other.options)];
  return {
    ...typed(resolveOptions(options, given, { check: command.check, former: program.former, elsewhere })),
    words,
  };
}

/** No command was named: the program's own work, or a page that lists the commands. */
function parseMain(program: AnyProgram, argv: readonly string[]): AnyParsed {
  const { options = [], commands, name, check, effective, former } = program;
  const all = [...options, ...STANDARD_OPTIONS];
  const { given, words } = readCommandLine(all, argv, former);
  const family = commands.filter((command) => startsWith(command.name.split(' '), words));
  const usage = usageText(program, [name, '[options]']);
  answerStandard(program, given, { usage, options: all, program: name, commands: family });
  if (words.length > 0 && argv[0] !== words[0])
    throw new UsageError('a command stands before its options (see --help)');
  if (words.length > 0 && family.length > 0)
    throw new UsageError(`${words.join(' ')}: expected one of ${family.map((command) => command.name).join(', ')}`);
  if (words.length > 0) throw new UsageError(`unexpected argument ${words[0]} (see --help)`);
  if (program.options === undefined)
    throw new UsageError(`expected one of ${commands.map((command) => command.name).join(', ')} (see --help)`);
  const elsewhere = commands.flatMap((command) => command.options);
  return { ...typed(resolveOptions(options, given, { check, effective, former, elsewhere })), words };
}

function answerStandard(program: AnyProgram, given: CommandLine['given'], page: HelpPage): void {
  if (given.get('help') === true) throw new EarlyExit(helpText(page), 0);
  if (given.get('version') === true) throw new EarlyExit(versionLine(program.name), 0);
}
