import type { WALLET_RPC_OPTIONS } from '../../src';

/** Options of every program of the suite. */
export const GENERAL = ['help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config'] as const;

/** The name of a start-up option. */
export type OptionName = (typeof WALLET_RPC_OPTIONS)[number]['name'] | (typeof GENERAL)[number];

/**
 * Declares that the tests of this file exercise these options. Call it at the top of the file with names in quotes:
 * `options/table.test.ts` collects them from the sources.
 */
export function exercises(..._names: readonly OptionName[]): void {
  // Empty: only the source of the call is read.
}
