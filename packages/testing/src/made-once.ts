import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder that is expensive to fill, and is filled once per run of `npm test`. Copy it; do not use it directly.
 * @param fill creates the content of the folder
 * @returns undefined if there is no folder shared by test files, as under jest alone
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
    // Another test file has created the folder in between.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}
