import { readFixture } from '@wrkz/testing/fixtures';

/** The number in the names of the published exports. */
const SERIES = '05';

/** The exports of a C++ wallet of 2026 with the published test seed: plain, with two sub-wallets, or as a view wallet. */
export function exportOf2026(name: 'seed' | 'subwallets' | 'view'): string {
  return readFixture(`wallet/spec${SERIES}-${name}.json`).trimEnd();
}
