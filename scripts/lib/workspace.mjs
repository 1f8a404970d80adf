import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the workspace, without a slash at the end. */
export const top = fileURLToPath(new URL('../..', import.meta.url)).slice(0, -1);

/** The parsed package.json of a folder. */
export const readManifest = (folder) => JSON.parse(readFileSync(join(top, folder, 'package.json'), 'utf8'));

/** The version of the package manager in package.json. */
export const pnpmVersion = readManifest('.').packageManager.split('@')[1];

/** The path of a script in node_modules. */
export const tool = (path) => join(top, 'node_modules', path);

/** The packages and apps: `folder` from the top (`packages/crypto`), `name`, and the parsed package.json. */
export function projects() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(top, group))
      .filter((name) => existsSync(join(top, group, name, 'package.json')))
      .sort()
      .map((name) => ({ folder: `${group}/${name}`, name, manifest: readManifest(`${group}/${name}`) })),
  );
}
