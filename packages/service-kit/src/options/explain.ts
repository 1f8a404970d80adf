import type { OptionSource } from './source';
import type { OptionSpec, OptionValue } from './spec';

/**
 * Every lasting option, a line each: name, value as JSON (`-` when there is none), and where it came from: `command line`,
 * `file <path>` or `default`. Secrets are shown as `***`.
 */
export function explanationText(
  specs: readonly OptionSpec[],
  values: Readonly<Record<string, OptionValue>>,
  sources: ReadonlyMap<string, OptionSource>,
  file: unknown,
): string {
  const rows = specs
    .filter((spec) => spec.oneShot !== true)
    .map((spec) => [spec.name, shownValue(spec, values[spec.name]), sourceText(sources.get(spec.name), file)] as const);
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const [names, texts] = [width(0), width(1)];
  return rows.map(([name, value, source]) => `${name.padEnd(names)}  ${value.padEnd(texts)}  ${source}`).join('\n');
}

function shownValue({ secret }: OptionSpec, value: OptionValue): string {
  if (value === undefined) return '-';
  return secret === true && value !== '' ? '***' : JSON.stringify(value);
}

function sourceText(source: OptionSource = 'default', file: unknown): string {
  return source === 'file' ? `file ${String(file)}` : source;
}
