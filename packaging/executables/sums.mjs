import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './materials.mjs';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.asc`;

/** Writes SHA256SUMS over all else in the folder, in the form that `sha256sum -c` reads. An old signature goes. */
export function writeSums(folder) {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== SUMS && entry.name !== SIGNATURE)
    .map(({ name }) => name)
    .sort();
  const line = (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}\n`;
  writeFileSync(join(folder, SUMS), names.map(line).join(''));
  rmSync(join(folder, SIGNATURE), { force: true });
}

/** Signs the sums as SHA256SUMS.asc with a key of the person's GnuPG. Without a key there is no signature. */
export function signSums(folder, key) {
  if (!key) return;
  const args = ['--batch', '--yes', '--armor', '--detach-sign', '--local-user', key];
  command('gpg', [...args, '--output', join(folder, SIGNATURE), join(folder, SUMS)]);
}
