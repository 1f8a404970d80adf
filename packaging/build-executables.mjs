/**
 * `npm run build:executables [-- wrkz-daemon ...]`: builds the programs, or those named, as single files in release/ that
 * need no Node.js, with their bill of materials, licences and SHA-256 checksums. WRKZ_RELEASE_KEY names a key of gpg that
 * signs the checksums.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { nodeOf } from '../scripts/lib/nodes.mjs';
import { main, selectNames } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';
import { writeChecksums } from './executables/checksums.mjs';
import { writeSbom } from './executables/sbom.mjs';
import { buildExecutable, nativeFiles, sqliteFolder, strip } from './executables/sea.mjs';
import { programs, release } from './programs.mjs';

const NODE_MAJOR = 24;

await main(async () => {
  const requested = process.argv.slice(2);
  const all = programs.map(({ name }) => name);
  const names = selectNames(requested, all, 'program');
  await bootstrap();
  // Imports esbuild, which a fresh clone has only now.
  const { bundle } = await import('./executables/bundle.mjs');
  const work = join(top, '.bootstrap/executables');
  rmSync(work, { recursive: true, force: true });
  // The checksums must not list files of an earlier build.
  if (requested.length === 0) rmSync(release, { recursive: true, force: true });
  for (const folder of [work, release]) mkdirSync(folder, { recursive: true });
  const [node, sqlite] = [nodeOf(NODE_MAJOR), sqliteFolder()];
  const base = strip(node.program, join(work, 'node'));
  const options = { node: node.program, base, files: nativeFiles(sqlite), work, release };
  const metafiles = {};
  for (const { name, folder } of programs) {
    if (!names.includes(name)) continue;
    const bundled = await bundle(folder, sqlite);
    buildExecutable({ name, ...bundled }, options);
    metafiles[name] = bundled.metafile;
    const modules = Object.keys(bundled.metafile.inputs).length;
    process.stdout.write(`${name}: ${bundled.workers.length} workers, ${modules} modules\n`);
  }
  writeSbom(release, metafiles, node, work);
  writeChecksums(release, process.env.WRKZ_RELEASE_KEY);
  rmSync(work, { recursive: true, force: true });
});
