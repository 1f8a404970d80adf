import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the workspace. */
export const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The programs of the suite, by folder below apps/. */
export const apps = ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals'];

/** The pinned package manager, from the one place that names its version. */
export const pnpmVersion = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')).packageManager.split('@')[1];

/** The path of a development tool's script, so that it runs without npx. */
export function tool(path) {
  return join(top, 'node_modules', path);
}
