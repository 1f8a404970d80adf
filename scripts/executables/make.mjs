import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../lib/run.mjs';
import { readManifest, tool, top } from '../lib/workspace.mjs';
import { bundle } from './bundle.mjs';
import { nativesFor } from './natives.mjs';

/** Where Node.js looks for what was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Makes one executable: its files, the loader that lays them down, and Node.js.
 * @returns {Promise<{name: string, file: string, inputs: string[], natives: string[]}>}
 */
export async function makeExecutable({ program, node, work, release }) {
  const { name } = program;
  process.stdout.write(`${name}: `);
  const folder = join(work, name);
  const tree = join(folder, 'tree');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  const { files, inputs } = await bundle(program.main, tree, work);
  for (const asset of program.assets) cpSync(join(top, asset), join(tree, asset), { recursive: true });
  const natives = nativesFor(inputs, work);
  mkdirSync(join(tree, 'native'));
  for (const native of natives) copyFileSync(native.file, join(tree, 'native', native.name));
  writeFileSync(join(tree, 'suite.json'), `${JSON.stringify({ program: name, version: version() })}\n`);
  const manifest = manifestOf(tree, { program: name, version: version(), main: program.main, parts: files.slice(1) });
  const config = writeConfig(folder, tree, manifest);
  call(node.program, ['--experimental-sea-config', config], folder);
  const file = join(release, name);
  inject(node.program, join(folder, 'program.blob'), file);
  process.stdout.write(`${(statSync(file).size / 1024 / 1024).toFixed(1)} MiB\n`);
  return { name, file, inputs, natives: natives.map((native) => native.package) };
}

const version = () => readManifest('.').version;

/** Sums and sizes of all files, and one digest over them, by which versions are told apart. */
function manifestOf(tree, facts) {
  const files = walk(tree).map((path) => {
    const bytes = readFileSync(join(tree, path));
    return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const digest = createHash('sha256')
    .update(JSON.stringify([facts, files]))
    .digest('hex');
  return { ...facts, digest, files };
}

function walk(tree) {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .sort();
}

function writeConfig(folder, tree, manifest) {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const config = join(folder, 'sea.json');
  const assets = Object.fromEntries(manifest.files.map(({ path }) => [path, join(tree, path)]));
  writeFileSync(
    config,
    JSON.stringify({
      main: join(dirname(new URL(import.meta.url).pathname), 'loader.cjs'),
      output: join(folder, 'program.blob'),
      disableExperimentalSEAWarning: true,
      assets: { 'manifest.json': join(folder, 'manifest.json'), ...assets },
    }),
  );
  return config;
}

/** Stripped first: what is put in afterwards would be lost, and half of the size is symbols. */
function inject(node, blob, file) {
  rmSync(file, { force: true });
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  call('strip', ['--strip-unneeded', file]);
  call(process.execPath, [tool('postject/dist/cli.js'), file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE]);
}

function call(command, args, cwd = top) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Failure(`${command} ${args[0]} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}
