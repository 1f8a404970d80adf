import { chmodSync, copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool, top } from '../../scripts/lib/workspace.mjs';
import { dataFiles } from './bundle.mjs';
import { command, stripped } from './materials.mjs';

/** What Node.js looks for in its own file; named in its documentation of single executables. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Makes the file `<release>/<name>`.
 * @param {{name: string, text: string, inputs: string[], natives: Set<string>}} program
 * @param {{node: string, base: string, files: Record<string, string>, workshop: string, release: string}} materials
 *   `node` the program that prepares the blob, `base` the same without debugging names, `files` the native modules
 */
export function assemble({ name, text, inputs, natives }, { node, base, files, workshop, release }) {
  const folder = join(workshop, name);
  mkdirSync(folder, { recursive: true });
  const [main, blob, config] = ['program.js', 'program.blob', 'sea.json'].map((file) => join(folder, file));
  writeFileSync(main, text);
  const assets = { 'program.js': main };
  for (const file of dataFiles(inputs)) assets[file] = join(top, file);
  for (const file of inputs) {
    const [, name] = /node_modules\/(swagger-ui-dist\/[^/]+)$/.exec(file) ?? [];
    if (name !== undefined) assets[name] = join(top, file);
  }
  for (const native of [...natives].sort()) {
    assets[`native/${native}`] = stripped(files[native], join(folder, `${native}.node`));
  }
  const flags = { disableExperimentalSEAWarning: true, useSnapshot: false, useCodeCache: false };
  writeFileSync(config, JSON.stringify({ main, output: blob, assets, ...flags }));
  command(node, ['--experimental-sea-config', config]);
  const unfinished = join(folder, name);
  copyFileSync(base, unfinished);
  chmodSync(unfinished, 0o755);
  const inject = [tool('postject/dist/cli.js'), unfinished, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  command(process.execPath, inject);
  renameSync(unfinished, join(release, name));
}
