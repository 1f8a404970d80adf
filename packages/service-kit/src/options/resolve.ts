import type { CommandLine, FormerOptions } from './command-line';
import { ConfigFile, readConfigFile } from './config-file';
import { explanationText } from './explain';
import type { OptionSource } from './source';
import { configurationText, saveConfiguration } from './save';
import { EarlyExit, OptionSpec, OptionValue, UsageError } from './spec';
import { STANDARD_OPTIONS } from './standard';
import { convertValue } from './value';

/** Values that one option stands for; whatever is set otherwise counts instead. */
export interface OptionPreset {
  /** The boolean option that switches it on. */
  readonly option: string;
  readonly values: Readonly<Record<string, OptionValue>>;
}

/** A check across options, over the resolved values. Returns what is wrong, or undefined. */
export type OptionsCheck = (values: Readonly<Record<string, OptionValue>>) => string | undefined;

/** Values that the program works out where nobody set one, by name: a port that depends on the network. */
export type EffectiveValues = (
  values: Readonly<Record<string, OptionValue>>,
  sources: ReadonlyMap<string, OptionSource>,
) => Readonly<Record<string, OptionValue>>;

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
  readonly effective?: EffectiveValues | undefined;
  readonly former?: FormerOptions | undefined;
  /** Options of the program's other commands: a file that all of them share may hold them, and they are passed over. */
  readonly elsewhere?: readonly OptionSpec[];
}

/**
 * Resolves the options: command line, else configuration file, else default. Options that print, `--dump-config`,
 * `--explain-config` and `--save-config` end in an EarlyExit with code 0; the checks across options come after them, so that
 * whoever is refused can look at what is in force.
 * @throws EarlyExit, UsageError
 */
export function resolveOptions(
  specs: readonly OptionSpec[],
  given: CommandLine['given'],
  { check, effective, former, elsewhere = [], presets = [] }: ResolveOptions,
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
    for (const { spec, value, where } of fileValues(own, elsewhere, readConfigFile(path), path, former, warnings)) {
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

  const printed = specs.find(({ name, prints }) => prints !== undefined && values[name] === true);
  if (printed?.prints !== undefined) throw new EarlyExit(printed.prints(), 0);
  if (given.get('dump-config') === true) throw new EarlyExit(configurationText(specs, values, 'hidden'), 0);
  if (given.get('explain-config') === true) {
    throw new EarlyExit(explanationText(specs, { ...values, ...effective?.(values, sources) }, sources, path), 0);
  }
  const target = given.get('save-config');
  if (typeof target === 'string') {
    saveConfiguration(target, specs, values);
    throw new EarlyExit(`configuration saved to ${target}`, 0);
  }
  const complaint = check?.(values) ?? unbuiltComplaint(specs, values);
  if (complaint !== undefined) throw new UsageError(complaint);
  for (const spec of specs) {
    const { name, noEffect } = spec;
    // a saved configuration holds every option, and what stands in it at its default was asked for by nobody
    const asked = sources.get(name) === 'command line' || !isDefault(spec, values[name]);
    if (noEffect !== undefined && asked) warnings.push(`--${name} has no effect: ${noEffect}`);
  }
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
  former: FormerOptions = {},
  warnings: string[] = [],
): FileValue[] {
  const values: FileValue[] = [];
  for (const [key, raw] of file) {
    const spec = own.find((candidate) => bears(candidate, key));
    if (spec === undefined && !elsewhere.some((candidate) => bears(candidate, key))) {
      warnings.push(...passedOver(key, raw, path, former));
    }
    if (spec === undefined || raw === null) continue;
    const where = `key ${key} in ${path}`;
    // repeated keys of an option that is no list: the last one counts, as on the command line
    const last = Array.isArray(raw) && spec.type !== 'list' && raw.length > 0 ? (raw.at(-1) as unknown) : raw;
    values.push({ spec, value: convertValue(spec, last, where), where });
  }
  return values;
}

/**
 * What is told of a key that is no option, where it may be passed over: a file that another version has saved names
 * every option it had, most of them switched off.
 * @throws UsageError for one that was never an option, or that asks for what has to be asked for otherwise
 */
function passedOver(key: string, raw: unknown, path: string, former: FormerOptions): string[] {
  const gone = Object.hasOwn(former, key) ? former[key] : undefined;
  if (gone !== undefined && [false, 'false', 0, '0', '', null].some((off) => off === raw)) return [];
  if (gone?.needless === true) return [`key ${key} in ${path} is ignored: ${gone.advice}`];
  const advice = gone === undefined ? '' : ` (${gone.advice})`;
  throw new UsageError(`unknown key ${JSON.stringify(key)} in the configuration file ${path}${advice}`);
}

/** The refusal of an option whose feature is not built yet and that is not at its default. */
function unbuiltComplaint(
  specs: readonly OptionSpec[],
  values: Readonly<Record<string, OptionValue>>,
): string | undefined {
  const asked = specs.find((spec) => spec.unbuilt === true && !isDefault(spec, values[spec.name]));
  return asked && `--${asked.name}: this version does not have it yet, so it has to stay at its default`;
}

function isDefault(spec: OptionSpec, value: OptionValue): boolean {
  return JSON.stringify(value) === JSON.stringify(spec.default);
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
