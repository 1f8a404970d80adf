import type { WALLET_RPC_OPTIONS } from '../../src';

/** Options of every program, which this one has too. */
export const GENERAL = ['help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config'] as const;

/** The name of a start-up option. */
export type OptionName = (typeof WALLET_RPC_OPTIONS)[number]['name'] | (typeof GENERAL)[number];

/**
 * Says that the tests of this file exercise these options. It is called at the top of the file with names in quotes, because
 * `options/table.test.ts` collects them from the sources.
 */
export function exercises(..._names: readonly OptionName[]): void {
  // the call is collected from the source
}
