import type { WALLET_API_OPTIONS } from '../../src';

/** Options that all programs have. */
export const GENERAL = ['help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config'] as const;

/** The name of an option. */
export type WalletOptionName = (typeof WALLET_API_OPTIONS)[number]['name'] | (typeof GENERAL)[number];

/**
 * Declares that the tests of this file exercise these options. Call it at the top of the file with string literals, because
 * `options/table.test.ts` collects them from the sources. That test fails for an option that no file exercises, and for a
 * file that names an option without using it.
 */
export function exercises(..._names: readonly WalletOptionName[]): void {
  // Only its presence in the source counts.
}
