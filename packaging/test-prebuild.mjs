/**
 * `npm run test:prebuild`: builds the prebuilt native module and uses it in a new copy of the workspace, with a PATH
 * without compilers, make and python. There `npm run devnet -- --smoke` installs the dependencies, compiles the TypeScript
 * and runs every service. Uses this Node.js if better-sqlite3 has binaries for it (Node-API 10), otherwise the newest 24.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyWorkspace } from '../scripts/lib/copy.mjs';
import { environmentOf, nodeOf } from '../scripts/lib/nodes.mjs';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

/** Programs in the PATH beside Node.js: a shell for the scripts of packages. */
const PROGRAMS = ['sh', 'env', 'uname'];

await main(async () => {
  await run(process.execPath, ['packaging/prebuild.mjs'], { failure: 'the build failed' });
  const program = Number(process.versions.napi) >= 10 ? process.execPath : nodeOf(24).program;
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-prebuild-'));
  try {
    const suite = join(folder, 'suite');
    copyWorkspace(suite);
    cpSync(join(top, 'native/prebuilds'), join(suite, 'native/prebuilds'), { recursive: true });
    const environment = { ...environmentOf(program), PATH: pathWithoutCompilers(folder, program) };
    for (const name of ['CXX', 'CC', 'MAKE', 'PYTHON', 'npm_config_python']) delete environment[name];
    const smoke = ['scripts/start.mjs', 'packages/testing/dist/devnet/main.js', '--smoke'];
    await run(program, smoke, { cwd: suite, environment, failure: 'the smoke test failed' });
    const compiled = compiledIn(suite);
    if (compiled.length > 0) throw new Failure(`native code was compiled: ${compiled.join(', ')}`);
    process.stdout.write('started from the prebuild; nothing was compiled\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A folder with links to PROGRAMS and to Node.js. */
function pathWithoutCompilers(folder, program) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(program, join(bin, 'node'));
  for (const name of PROGRAMS) {
    const path = ['/bin', '/usr/bin'].map((place) => join(place, name)).find((place) => existsSync(place));
    if (path) symlinkSync(path, join(bin, name));
  }
  return bin;
}

/** The build folders of the native module and of SQLite. */
function compiledIn(suite) {
  const store = join(suite, 'node_modules/.pnpm');
  const sqlite = readdirSync(store)
    .filter((name) => name.startsWith('better-sqlite3@'))
    .map((name) => join(store, name, 'node_modules/better-sqlite3/build'));
  return [join(suite, 'native/build'), ...sqlite].filter((path) => existsSync(path));
}
