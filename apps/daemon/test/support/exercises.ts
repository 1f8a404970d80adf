import type { DAEMON_OPTIONS } from '../../src';

/** The name of a start-up option. */
export type OptionName = (typeof DAEMON_OPTIONS)[number]['name'] | (typeof GENERAL)[number];

/** Options of every program, which the daemon has too. */
export const GENERAL = ['help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config'] as const;

/**
 * Declares that the tests of this file exercise these options: `exercises('in-peers', 'out-peers')`. It is called at the top of
 * the file with names in quotes, because `options/table.test.ts` collects them from the sources: an option that no
 * file exercises fails there, as does a file that names an option without using it.
 */
export function exercises(..._names: readonly OptionName[]): void {
  // Only its presence in the source counts.
}
