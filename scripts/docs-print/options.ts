import { EarlyExit, type OptionSpec, typeOfOption } from '../../packages/service-kit/src';
import { cell, codeCell, page, table } from './markdown';

/** One help page of a program: its command line, its options, and the text of `--help`. */
export interface PrintedHelp {
  /** `wrkz-daemon serve-rpc`. */
  readonly call: string;
  readonly options: readonly OptionSpec[];
  /** Reads a command line as the program does. */
  readonly read: (argv: readonly string[]) => unknown;
}

/** The text that a program prints for `--help`. @throws Error when it prints none */
export function helpOf({ call, read }: Pick<PrintedHelp, 'call' | 'read'>): string {
  try {
    read([...call.split(' ').slice(1), '--help']);
  } catch (error) {
    if (error instanceof EarlyExit && error.exitCode === 0) return error.message;
    throw error;
  }
  throw new Error(`${call} --help prints nothing`);
}

/** The default in the text of `--help`; empty if the text has none. */
export function defaultOf(spec: OptionSpec): string {
  return spec.defaultText ?? [spec.default ?? ''].flat().join(',');
}

/** The page of a program: a table for each group, then the text of `--help`. */
export function optionsPage(program: string, helps: readonly PrintedHelp[]): string {
  return page(`${program}: options`, [
    'All options of the program. Options have the same name in a configuration file. Every ' +
      'program also has `--help`, `--version`, `--config-file`, `--save-config`, `--dump-config` and `--explain-config`.',
    ...helps.flatMap((help) => [`## ${help.call}`, ...groupsOf(help.options), ...printed(help)]),
  ]);
}

function groupsOf(options: readonly OptionSpec[]): string[] {
  const groups = new Map<string, OptionSpec[]>();
  for (const option of options.filter(({ hidden }) => hidden !== true))
    groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  return [...groups].flatMap(([name, specs]) => [
    `**${name}**`,
    table(
      ['Option', 'Type', 'Default', 'What it does'],
      specs.map((spec) => [
        codeCell(`--${spec.name}`) + (spec.aliases ?? []).map((alias) => `, ${codeCell(dashed(alias))}`).join(''),
        typeOfOption(spec),
        spec.defaultText === undefined ? codeCell(defaultOf(spec)) : cell(spec.defaultText),
        cell(spec.choices === undefined ? spec.help : `${spec.help} (${spec.choices.join(', ')})`),
      ]),
    ),
  ]);
}

const dashed = (alias: string): string => (alias.length === 1 ? `-${alias}` : `--${alias}`);

function printed(help: PrintedHelp): string[] {
  return [`What \`${help.call} --help\` prints:`, `\`\`\`text\n${helpOf(help).trimEnd()}\n\`\`\``];
}
