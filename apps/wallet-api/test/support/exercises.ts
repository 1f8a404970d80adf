import type { WALLET_API_OPTIONS } from '../../src';

/** Options of every program, which the wallet has too. */
export const GENERAL = ['help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config'] as const;

/** The name of a start-up option. */
export type WalletOptionName = (typeof WALLET_API_OPTIONS)[number]['name'] | (typeof GENERAL)[number];

/**
 * Says that the tests of this file exercise these options. It is called at the top of the file with names in quotes, because
 * `options/table.test.ts` collects them from the sources; there an option that no file exercises fails, and so does a file
 * that names an option which it does not use.
 */
export function exercises(..._names: readonly WalletOptionName[]): void {
  // the call is collected from the source
}
