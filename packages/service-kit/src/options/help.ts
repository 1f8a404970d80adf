import yargs from 'yargs';
import { YARGS_SETTINGS } from './command-line';
import type { OptionSpec } from './spec';

/** A word that stands beside the options, e.g. the socket of `attach <socket>`. */
export interface ArgumentSpec {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly help: string;
  readonly optional?: boolean;
}

/** One page of `--help`. */
export interface HelpPage {
  /** What stands above the options: the version, what the program is, how it is called. */
  readonly usage: string;
  readonly options: readonly OptionSpec[];
  readonly arguments?: readonly ArgumentSpec[];
  /** The program of the commands, as it is called. */
  readonly program?: string;
  /** The commands it leads to. */
  readonly commands?: readonly ListedCommand[] | undefined;
}

/** What a help page says of a command. */
export interface ListedCommand {
  /** Its words, e.g. `admin add`. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly help: string;
  /** Words that follow it, the optional ones last. */
  readonly arguments?: readonly ArgumentSpec[];
}

/** `<name>` or `[name]`, as a usage line has it. */
export function argumentText({ name, optional }: ArgumentSpec): string {
  return optional === true ? `[${name}]` : `<${name}>`;
}

/** The text of a page, printed by yargs. */
export function helpText(page: HelpPage): string {
  const printer = yargs([])
    .scriptName('')
    .parserConfiguration(YARGS_SETTINGS)
    .locale('en')
    .detectLocale(false)
    .help(false)
    .version(false)
    .exitProcess(false)
    .usage(page.usage)
    .wrap(100);
  const { arguments: words = [], program = '', commands = [] } = page;
  if (words.length > 0) {
    printer.command(['$0', ...words.map(argumentText)].join(' '), '', (command) =>
      words.reduce((rest, { name, help }) => rest.positional(name, { describe: help, type: 'string' }), command),
    );
  }
  for (const { name, help, arguments: following = [] } of commands) {
    printer.command([program, name, ...following.map(argumentText)].join(' '), help);
  }
  for (const spec of page.options) printer.option(spec.name, optionHelp(spec));
  let text = '';
  printer.showHelp((shown: string) => (text = shown));
  return text;
}

function optionHelp(spec: OptionSpec) {
  const { type, help, choices, aliases = [], group, hidden = false } = spec;
  const defaultDescription = defaultText(spec);
  return {
    type: type === 'list' ? 'array' : type,
    describe: choices === undefined ? help : `${help} (${choices.join(', ')})`,
    group: `${group}:`,
    alias: aliases,
    hidden,
    ...(defaultDescription === undefined ? {} : { defaultDescription }),
  } as const;
}

function defaultText(spec: OptionSpec): string | undefined {
  if (spec.defaultText !== undefined) return spec.defaultText;
  if (spec.default === undefined || spec.default === '' || spec.default === false) return undefined;
  const text = Array.isArray(spec.default) ? spec.default.join(',') : String(spec.default);
  return text === '' ? undefined : text;
}
