import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../scripts/lib/run.mjs';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.asc`;

/** Names of the files in a folder that SHA256SUMS lists: all but itself and its signature. */
export function listedFiles(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => name !== SUMS && name !== SIGNATURE);
  return names.sort();
}

/**
 * Writes SHA256SUMS of the files in a folder, and with a key of gpg its signature SHA256SUMS.asc. Without a key an old
 * signature is removed.
 */
export function writeChecksums(folder, key) {
  writeFileSync(join(folder, SUMS), command('sha256sum', listedFiles(folder), { cwd: folder }));
  rmSync(join(folder, SIGNATURE), { force: true });
  const sign = ['--batch', '--armor', '--detach-sign', '--output', SIGNATURE, '--local-user', key, SUMS];
  if (key) command('gpg', sign, { cwd: folder });
}
