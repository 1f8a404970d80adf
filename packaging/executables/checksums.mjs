import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../scripts/lib/run.mjs';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.asc`;

export const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Names of the files in a folder that SHA256SUMS lists: all but itself and its signature. */
export function listedFiles(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ name }) => name)
    .filter((name) => name !== SUMS && name !== SIGNATURE)
    .sort();
}

/**
 * Writes SHA256SUMS of the files in a folder, in the format of `sha256sum`, and with a key of gpg its signature
 * SHA256SUMS.asc. Without a key an old signature is removed.
 */
export function writeChecksums(folder, key) {
  const [sums, signature] = [join(folder, SUMS), join(folder, SIGNATURE)];
  writeFileSync(
    sums,
    listedFiles(folder)
      .map((name) => `${sha256(join(folder, name))}  ${name}\n`)
      .join(''),
  );
  rmSync(signature, { force: true });
  if (key) command('gpg', ['--batch', '--armor', '--detach-sign', '--local-user', key, '--output', signature, sums]);
}
