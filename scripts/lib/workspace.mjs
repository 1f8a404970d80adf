import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the workspace. */
export const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The parsed package.json of a folder. */
export const readManifest = (folder) => JSON.parse(readFileSync(join(top, folder, 'package.json'), 'utf8'));
const manifest = readManifest('.');

/** The programs of the suite, by folder below apps/. */
export const apps = ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals'];

/** The pinned package manager, from the one place that names its version. */
export const pnpmVersion = manifest.packageManager.split('@')[1];

/** Which Node.js the suite runs on. */
export const engines = manifest.engines;

/** The path of a development tool's script, so that it runs without npx. */
export function tool(path) {
  return join(top, 'node_modules', path);
}

/** The packages and apps: `folder` from the top (`packages/crypto`), `name`, and the parsed package.json. */
export function projects() {
  return ['packages', 'apps'].flatMap((room) =>
    readdirSync(join(top, room))
      .map((name) => `${room}/${name}`)
      .filter((folder) => existsSync(join(top, folder, 'package.json')))
      .sort()
      .map((folder) => ({ folder, name: folder.split('/')[1], manifest: readManifest(folder) })),
  );
}
