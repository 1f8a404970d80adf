import type { CommandLine } from './command-line';
import { ConfigFile, readConfigFile } from './config-file';
import { configurationText, saveConfiguration } from './save';
import { EarlyExit, OptionSpec, OptionValue, UsageError } from './spec';
import { STANDARD_OPTIONS } from './standard';
import { convertValue } from './value';

/** Where a value came from. */
export type OptionSource = 'default' | 'preset' | 'file' | 'command line';

/** Values that one option stands for; whatever is set otherwise counts instead. */
export interface OptionPreset {
  /** The boolean option that switches it on. */
  readonly option: string;
  readonly values: Readonly<Record<string, OptionValue>>;
}

/** A check across options, over the resolved values. Returns what is wrong, or undefined. */
export type OptionsCheck = (values: Readonly<Record<string, OptionValue>>) => string | undefined;

/** What the options came to. */
export interface Resolution {
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly sources: ReadonlyMap<string, OptionSource>;
  /** To be logged once there is a logger, e.g. a one-shot option in a file. */
  readonly warnings: readonly string[];
  /** The values of options declared secret, to be given to the logger, which hides them. */
  readonly secrets: readonly string[];
}

export interface ResolveOptions {
  readonly check?: OptionsCheck | undefined;
  readonly presets?: readonly OptionPreset[];
  /** Options of the program's other commands: a file that all of them share may hold them, and they are passed over. */
  readonly elsewhere?: readonly OptionSpec[];
}

/**
 * Resolves the options: command line, else configuration file, else default. `--dump-config` and `--save-config` end
 * in an EarlyExit with code 0.
 * @throws EarlyExit, UsageError
 */
export function resolveOptions(
  specs: readonly OptionSpec[],
  given: CommandLine['given'],
  { check, elsewhere = [], presets = [] }: ResolveOptions,
): Resolution {
  const values: Record<string, OptionValue> = {};
  const sources = new Map<string, OptionSource>();
  const warnings: string[] = [];
  const set = (spec: OptionSpec, value: OptionValue, source: OptionSource): void => {
    values[spec.name] = value;
    sources.set(spec.name, source);
  };
  for (const spec of specs) set(spec, copyDefault(spec), 'default');
  const path = given.get('config-file');
  if (typeof path === 'string') {
    const own = [...specs, ...STANDARD_OPTIONS];
    for (const { spec, value, where } of fileValues(own, elsewhere, readConfigFile(path), path)) {
      if (!spec.oneShot) set(spec, value, 'file');
      else if (value !== spec.default && value !== '')
        warnings.push(`${where} is ignored: it belongs on the command line`);
    }
  }
  for (const spec of specs) {
    const raw = given.get(spec.name);
    if (raw !== undefined) set(spec, convertValue(spec, raw, `--${spec.name}`), 'command line');
  }
  for (const preset of presets.filter(({ option }) => values[option] === true)) {
    const free = specs.filter(({ name }) => name in preset.values && sources.get(name) === 'default');
    for (const spec of free) set(spec, preset.values[spec.name], 'preset');
  }

  const complaint = check?.(values);
  if (complaint !== undefined) throw new UsageError(complaint);
  const target = given.get('save-config');
  if (typeof target === 'string') {
    saveConfiguration(target, specs, values);
    throw new EarlyExit(`configuration saved to ${target}`, 0);
  }
  if (given.get('dump-config') === true) throw new EarlyExit(configurationText(specs, values, 'hidden'), 0);
  const secrets = specs.filter((spec) => spec.secret).flatMap((spec) => secretTexts(values[spec.name]));
  return { values, sources, warnings, secrets };
}

interface FileValue {
  readonly spec: OptionSpec;
  readonly value: OptionValue;
  readonly where: string;
}

function fileValues(
  own: readonly OptionSpec[],
  elsewhere: readonly OptionSpec[],
  file: ConfigFile,
  path: string,
): FileValue[] {
  const values: FileValue[] = [];
  for (const [key, raw] of file) {
    const spec = own.find((candidate) => bears(candidate, key));
    if (spec === undefined && !elsewhere.some((candidate) => bears(candidate, key)))
      throw new UsageError(`unknown key ${JSON.stringify(key)} in the configuration file ${path}`);
    if (spec === undefined || raw === null) continue;
    const where = `key ${key} in ${path}`;
    // repeated keys of an option that is no list: the last one counts, as on the command line
    const last = Array.isArray(raw) && spec.type !== 'list' && raw.length > 0 ? (raw.at(-1) as unknown) : raw;
    values.push({ spec, value: convertValue(spec, last, where), where });
  }
  return values;
}

function bears({ name, aliases = [] }: OptionSpec, key: string): boolean {
  return name === key || (key.length > 1 && aliases.includes(key));
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
