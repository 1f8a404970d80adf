import { errorText } from '../error-text';
import { atomicWriteFileSync, readOperatorFile } from '../files';
import { type OptionSpec, type OptionValue, UsageError, unquoted } from './options';

/** The source of an option's value. */
export type OptionSource = 'default' | 'preset' | 'file' | 'command line';

type Values = Readonly<Record<string, OptionValue>>;

/**
 * Reads an INI or JSON configuration file. A file whose first visible character is `{` is JSON, any other is INI.
 * @returns keys with their raw values, in the order of the file
 * @throws UsageError when the file cannot be read or parsed
 */
export function readConfigFile(path: string): Map<string, unknown> {
  let text: string;
  try {
    text = readOperatorFile(path)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`cannot read the configuration file ${path}: ${errorText(error)}`);
  }
  if (isJsonArray(text)) throw new UsageError(`the configuration file ${path} is a JSON array, not a JSON object`);
  if (!text.trimStart().startsWith('{')) return parseIniConfig(text, path);
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, unknown>));
  } catch (error) {
    throw new UsageError(`the configuration file ${path} is not valid JSON: ${errorText(error)}`);
  }
}

/** An array on one line would be a section of an INI file. */
function isJsonArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * One `key=value` per line. Lines that start with `#` or `;` are comments (only whole lines, because a token may contain
 * both), `[section]` lines are ignored, quotes around a value are removed. A repeated key makes a list; `key=` is an
 * empty value.
 *
 * The library `ini` 6.0.0 was measured and fails on such files: it truncates `api-key=ab#c;d` to `ab` without an error,
 * reads a line `just words` as a key that is true, drops `=5`, converts `k=null`, moves keys below a section, and
 * reports no line numbers.
 */
function parseIniConfig(text: string, path: string): Map<string, unknown> {
  const values = new Map<string, string[]>();
  text.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';') || /^\[.*\]$/.test(line)) return;
    const equals = line.indexOf('=');
    if (equals <= 0) throw new UsageError(`${path}, line ${index + 1}: expected key=value`);
    const key = line.slice(0, equals).trim();
    values.set(key, [...(values.get(key) ?? []), unquoted(line.slice(equals + 1).trim())]);
  });
  return values;
}

/**
 * The configuration as JSON that `--config-file` reads, one key per option, without one-shot options. With `secrets`
 * `hidden` the values of secret options are replaced by `***`.
 */
export function configurationText(specs: readonly OptionSpec[], values: Values, secrets: 'hidden' | 'plain'): string {
  const entries = lasting(specs).map((spec) => [
    spec.name,
    secrets === 'hidden' && hasSecret(spec, values) ? '***' : (values[spec.name] ?? null),
  ]);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/**
 * Writes the configuration, secrets included, so that the file starts the same program; only the owner can read it.
 * @throws UsageError when it cannot be written
 */
export function saveConfiguration(path: string, specs: readonly OptionSpec[], values: Values): void {
  try {
    atomicWriteFileSync(path, `${configurationText(specs, values, 'plain')}\n`, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`cannot write the configuration file ${path}: ${errorText(error)}`);
  }
}

/**
 * One line per option without one-shot options: name, value as JSON (`-` for none, `***` for secrets), source
 * (`command line`, `file <path>`, `preset` or `default`).
 */
export function explanationText(
  specs: readonly OptionSpec[],
  values: Values,
  sources: ReadonlyMap<string, OptionSource>,
  file: unknown,
): string {
  const rows = lasting(specs).map((spec) => {
    const source = sources.get(spec.name) ?? 'default';
    const text = hasSecret(spec, values) ? '***' : (JSON.stringify(values[spec.name]) ?? '-');
    return [spec.name, text, source === 'file' ? `file ${String(file)}` : source] as const;
  });
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const [names, texts] = [width(0), width(1)];
  return rows.map(([name, value, source]) => `${name.padEnd(names)}  ${value.padEnd(texts)}  ${source}`).join('\n');
}

function lasting(specs: readonly OptionSpec[]): OptionSpec[] {
  return specs.filter(({ oneShot }) => oneShot !== true);
}

/** Whether a secret option has a value that must not be shown. */
function hasSecret({ name, secret }: OptionSpec, values: Values): boolean {
  return secret === true && values[name] !== undefined && values[name] !== '';
}
