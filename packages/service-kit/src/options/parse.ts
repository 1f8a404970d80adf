import { versionLine } from '../version';
import { type FormerOptions, readCommandLine } from './command-line';
import { helpText, type ListedCommand } from './help';
import { type EffectiveValues, type OptionPreset, type OptionsCheck, type Resolution, resolveOptions } from './resolve';
import type { OptionSource } from './source';
import { EarlyExit, OptionSpec, OptionValues, UsageError } from './spec';
import { STANDARD_OPTIONS } from './standard';

/** What the program tells about itself. */
export interface ProgramMeta {
  /** The name of the executable, e.g. `wrkz-daemon`. */
  readonly name: string;
  /** One sentence at the top of `--help`. */
  readonly description?: string;
  /** Words that may stand beside the options; without it any such word is refused. */
  readonly words?: string;
  /** Commands of the program that `--help` lists. */
  readonly commands?: readonly ListedCommand[];
  readonly check?: OptionsCheck;
  readonly presets?: readonly OptionPreset[];
  /** What the program makes of options that nobody set, for `--explain-config`. */
  readonly effective?: EffectiveValues;
  readonly former?: FormerOptions;
}

export interface ParsedOptions<S extends readonly OptionSpec[]> extends Omit<Resolution, 'values' | 'sources'> {
  readonly values: OptionValues<S>;
  /** Where the value of an option came from. */
  readonly source: (name: S[number]['name']) => OptionSource;
  /** Words of the command line that are no option. */
  readonly words: readonly string[];
}

/**
 * Resolves the options: command line, else configuration file, else default. `--help`, `--version`, options that print,
 * `--dump-config`, `--explain-config` and `--save-config` end in an EarlyExit with code 0.
 * @param argv the arguments alone, i.e. `process.argv.slice(2)`
 * @throws EarlyExit, UsageError
 */
export function parseOptions<const S extends readonly OptionSpec[]>(
  specs: S,
  argv: readonly string[],
  meta: ProgramMeta,
): ParsedOptions<S> {
  const all: readonly OptionSpec[] = [...specs, ...STANDARD_OPTIONS];
  const { given, words } = readCommandLine(all, argv, meta.former);
  if (given.get('help') === true) {
    const call = [meta.name, '[options]', ...(meta.words === undefined ? [] : [`[${meta.words}]`])];
    const { name: program, commands } = meta;
    throw new EarlyExit(helpText({ usage: usageText(meta, call), options: all, program, commands }), 0);
  }
  if (given.get('version') === true) throw new EarlyExit(versionLine(meta.name), 0);
  if (words.length > 0 && meta.words === undefined)
    throw new UsageError(`unexpected argument ${words[0]} (see --help)`);
  return { ...typed<S>(resolveOptions(specs, given, meta)), words };
}

/** What was resolved, under the types of its declarations. */
export function typed<S extends readonly OptionSpec[]>({
  values,
  sources,
  ...rest
}: Resolution): Omit<ParsedOptions<S>, 'words'> {
  return { ...rest, values: values as OptionValues<S>, source: (name) => sources.get(name) ?? 'default' };
}

/** The top of a help page; `call` is how the program is called. */
export function usageText({ name, description }: ProgramMeta, call: readonly string[]): string {
  const sentence = description === undefined ? '' : `\n\n${description}`;
  return `${versionLine(name)}${sentence}\n\nUsage: ${call.join(' ')}`;
}
