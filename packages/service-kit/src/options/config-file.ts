import { readFileSync } from 'node:fs';
import { errorText } from '../error-text';
import { UsageError } from './spec';
import { unquoted } from './value';

/** The keys of a configuration file with their raw values, in the order they stand. */
export type ConfigFile = Map<string, unknown>;

/**
 * Reads an INI or JSON configuration file. A file whose first visible character is `{` is JSON, any other is INI.
 * @throws UsageError when the file cannot be read or parsed
 */
export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`cannot read the configuration file ${path}: ${errorText(error)}`);
  }
  return text.trimStart().startsWith('{') ? parseJsonConfig(text, path) : parseIniConfig(text, path);
}

/**
 * `key=value` a line. Lines that start with `#` or `;` are comments (only whole lines, so a token may hold either),
 * `[section]` lines are decoration, quotes around a value are taken off. A key given again makes a list; `key=` is an
 * empty value.
 *
 * The library `ini` 6.0.0 was measured and fails at what these files hold: `api-key=ab#c;d` becomes `ab` (a token cut
 * short, in silence), a line `just words` becomes a key that is true, `=5` vanishes, `k=null` is no text any more, keys
 * below a section leave the top, and nothing names the line that is wrong.
 */
export function parseIniConfig(text: string, path: string): ConfigFile {
  const values: ConfigFile = new Map();
  text.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';') || /^\[.*\]$/.test(line)) return;
    const equals = line.indexOf('=');
    if (equals <= 0) throw new UsageError(`${path}, line ${index + 1}: expected key=value`);
    const key = line.slice(0, equals).trim();
    const value = unquoted(line.slice(equals + 1).trim());
    const earlier = values.get(key);
    if (earlier === undefined) values.set(key, value);
    else if (Array.isArray(earlier)) earlier.push(value);
    else values.set(key, [earlier, value]);
  });
  return values;
}

function parseJsonConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the configuration file ${path} is not valid JSON: ${errorText(error)}`);
  }
  return new Map(Object.entries(value as Record<string, unknown>));
}
