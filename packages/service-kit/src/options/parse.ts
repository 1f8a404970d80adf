import { versionLine } from '../version';
import { helpText, readCommandLine } from './command-line';
import { ConfigFile, readConfigFile } from './config-file';
import { configurationText, saveConfiguration } from './save';
import { EarlyExit, OptionSpec, OptionValue, OptionValues, UsageError } from './spec';
import { STANDARD_OPTIONS } from './standard';
import { convertValue } from './value';

/** Where a value came from. */
export type OptionSource = 'default' | 'file' | 'command line';

/** What the program tells about itself. */
export interface ProgramMeta {
  /** The name of the executable, e.g. `wrkz-daemon`. */
  readonly name: string;
  /** One sentence at the top of `--help`. */
  readonly description?: string;
  /** Words that may stand beside the options (e.g. `attach <socket>`); without it any such word is refused. */
  readonly words?: string;
  /** Checks across options, over the resolved values. Returns what is wrong, or undefined. */
  readonly check?: (values: Readonly<Record<string, OptionValue>>) => string | undefined;
}

export interface ParsedOptions<S extends readonly OptionSpec[]> {
  readonly values: OptionValues<S>;
  /** Where the value of an option came from. */
  source(name: S[number]['name']): OptionSource;
  /** Words of the command line that are no option. */
  readonly words: readonly string[];
  /** To be logged once there is a logger, e.g. a one-shot option in a file. */
  readonly warnings: readonly string[];
  /** The values of options declared secret, to be given to the logger, which hides them. */
  readonly secrets: readonly string[];
}

/**
 * Resolves the options: command line, else configuration file, else default. `--help`, `--version`,
 * `--dump-config`, `--save-config` end in an EarlyExit with code 0.
 * @param argv the arguments alone, i.e. `process.argv.slice(2)`
 * @throws EarlyExit, UsageError
 */
export function parseOptions<const S extends readonly OptionSpec[]>(
  specs: S,
  argv: readonly string[],
  meta: ProgramMeta,
): ParsedOptions<S> {
  const all: readonly OptionSpec[] = [...specs, ...STANDARD_OPTIONS];
  const { given, words } = readCommandLine(all, argv);
  if (given.get('help') === true) throw new EarlyExit(helpText(all, usageText(meta)), 0);
  if (given.get('version') === true) throw new EarlyExit(versionLine(meta.name), 0);
  if (words.length > 0 && meta.words === undefined)
    throw new UsageError(`unexpected argument ${words[0]} (see --help)`);

  const warnings: string[] = [];
  const values: Record<string, OptionValue> = {};
  const sources = new Map<string, OptionSource>();
  const set = (spec: OptionSpec, value: OptionValue, source: OptionSource): void => {
    values[spec.name] = value;
    sources.set(spec.name, source);
  };

  for (const spec of specs) set(spec, copyDefault(spec), 'default');
  const path = given.get('config-file');
  if (typeof path === 'string') applyFile(all, readConfigFile(path), path, set, warnings);
  for (const spec of specs) {
    const raw = given.get(spec.name);
    if (raw !== undefined) set(spec, convertValue(spec, raw, `--${spec.name}`), 'command line');
  }

  const complaint = meta.check?.(values);
  if (complaint !== undefined) throw new UsageError(complaint);
  const target = given.get('save-config');
  if (typeof target === 'string') {
    saveConfiguration(target, specs, values);
    throw new EarlyExit(`configuration saved to ${target}`, 0);
  }
  if (given.get('dump-config') === true) throw new EarlyExit(configurationText(specs, values, 'hidden'), 0);

  return {
    values: values as OptionValues<S>,
    source: (name) => sources.get(name) ?? 'default',
    words,
    warnings,
    secrets: specs.filter((spec) => spec.secret).flatMap((spec) => secretTexts(values[spec.name])),
  };
}

function applyFile(
  specs: readonly OptionSpec[],
  file: ConfigFile,
  path: string,
  set: (spec: OptionSpec, value: OptionValue, source: OptionSource) => void,
  warnings: string[],
): void {
  for (const [key, raw] of file) {
    const spec = specs.find(
      ({ name, alias }) => name === key || (alias !== undefined && alias.length > 1 && alias === key),
    );
    if (!spec) throw new UsageError(`unknown key ${JSON.stringify(key)} in the configuration file ${path}`);
    if (raw === null) continue;
    const where = `key ${key} in ${path}`;
    // repeated keys of an option that is no list: the last one counts, as on the command line
    const value = convertValue(
      spec,
      Array.isArray(raw) && spec.type !== 'list' && raw.length > 0 ? raw.at(-1) : raw,
      where,
    );
    if (!spec.oneShot) set(spec, value, 'file');
    else if (value !== spec.default && value !== '')
      warnings.push(`${where} is ignored: it belongs on the command line`);
  }
}

function copyDefault(spec: OptionSpec): OptionValue {
  return typeof spec.default === 'object' ? [...spec.default] : spec.default;
}

function secretTexts(value: OptionValue): string[] {
  return [value ?? '']
    .flat()
    .map(String)
    .filter((text) => text !== '');
}

function usageText(meta: ProgramMeta): string {
  const words = meta.words === undefined ? '' : ` [${meta.words}]`;
  const description = meta.description === undefined ? '' : `\n\n${meta.description}`;
  return `${versionLine(meta.name)}${description}\n\nUsage: ${meta.name} [options]${words}`;
}
