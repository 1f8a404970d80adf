import { readFixture } from '@wrkz/testing/fixtures';

/** The number that the published exports bear in their names. */
const SERIES = '05';

/** What the reference of 2026 exported of the published test seed: alone, with two sub-wallets, or to watch only. */
export function exportOf2026(name: 'seed' | 'subwallets' | 'view'): string {
  return readFixture(`wallet/spec${SERIES}-${name}.json`).trimEnd();
}
