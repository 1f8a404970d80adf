import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder that takes long to fill, and is filled once in a run of `npm test`. It is to be copied, never used.
 * @param fill puts everything into the folder that it is given
 * @returns undefined where nothing outlives a file of tests, as under jest alone
 */
export async function madeOnce(name: string, fill: (folder: string) => Promise<void>): Promise<string | undefined> {
  const shared = process.env['WRKZ_TESTS_SHARED'];
  if (shared === undefined) return undefined;
  const kept = join(shared, name);
  if (existsSync(kept)) return kept;
  const made = mkdtempSync(join(shared, 'making-'));
  await fill(made);
  try {
    renameSync(made, kept);
  } catch (error) {
    // Another test file has created it meanwhile.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}
