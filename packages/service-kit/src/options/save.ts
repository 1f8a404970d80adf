import { atomicWriteFileSync } from '../files';
import { errorText } from '../error-text';
import { OptionSpec, OptionValue, UsageError } from './spec';

/**
 * The resolved configuration as JSON, every option under its own name (one-shot options left out), in a form that
 * `--config-file` reads back. With `secrets` `hidden` the secret values are replaced by `***`.
 */
export function configurationText(
  specs: readonly OptionSpec[],
  values: Readonly<Record<string, OptionValue>>,
  secrets: 'hidden' | 'plain',
): string {
  const entries = specs
    .filter((spec) => !spec.oneShot)
    .map((spec) => {
      const value = values[spec.name];
      const hide = spec.secret && secrets === 'hidden' && value !== undefined && value !== '';
      return [spec.name, hide ? '***' : (value ?? null)] as const;
    });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/**
 * Writes the resolved configuration, secrets included, so that the file starts the same program; only its owner can read it.
 * @throws UsageError when it cannot be written
 */
export function saveConfiguration(
  path: string,
  specs: readonly OptionSpec[],
  values: Readonly<Record<string, OptionValue>>,
): void {
  try {
    atomicWriteFileSync(path, `${configurationText(specs, values, 'plain')}\n`, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`cannot write the configuration file ${path}: ${errorText(error)}`);
  }
}
