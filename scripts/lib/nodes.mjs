import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Failure } from './run.mjs';
import { top } from './workspace.mjs';

/** The major versions of Node.js that the suite is run on. */
export const NODE_MAJORS = [20, 22, 24, 26];

/** Downloads and copies stay here between runs. */
const folder = join(top, '.bootstrap', 'nodes');
/** The package that ships the program and its headers. */
const packageOf = (arch) => `node-${process.platform}-${arch}`;
/** Where the versions for a processor are. */
const homeOf = (arch) => (arch === process.arch ? folder : join(folder, arch));

/**
 * The newest Node.js of a major version, fetched from the package registry when it is not here yet. Without a registry
 * the newest one that is here is taken. `arch` is the processor that it is for, this machine's unless named.
 * @returns {{version: string, program: string}}
 */
export function nodeOf(major, arch = process.arch) {
  const version = newest(published(major, arch)) ?? newest(present(major, arch));
  if (version === undefined)
    throw new Failure(`no Node.js ${major} to be had: ${packageOf(arch)} is not here and not published`);
  const home = join(homeOf(arch), `v${version}`);
  const program = join(home, 'bin', 'node');
  if (!existsSync(program)) unpack(version, arch, home);
  return { version, program };
}

/** Where the workspace's copy for a major version is kept. */
export function copyFolder(major, purpose = 'workspace') {
  return join(folder, `${purpose}-${major}`);
}

/** The environment in which a Node.js finds itself first, and nothing of the npm that runs this script. */
export function environmentOf(program) {
  const environment = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
  for (const name of Object.keys(environment)) {
    if (/^npm_(execpath|node_execpath|command|lifecycle_|package_|config_(nodedir|node_gyp))/.test(name)) {
      delete environment[name];
    }
  }
  delete environment.NODE;
  return environment;
}

function published(major, arch) {
  const { status, stdout } = npm(['view', `${packageOf(arch)}@^${major}.0.0`, 'version', '--json']);
  if (status !== 0 || stdout.trim() === '') return [];
  return [JSON.parse(stdout)].flat();
}

function present(major, arch) {
  const home = homeOf(arch);
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .filter((name) => name.startsWith(`v${major}.`) && existsSync(join(home, name, 'bin', 'node')))
    .map((name) => name.slice(1));
}

function newest(versions) {
  return [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).pop();
}

function unpack(version, arch, home) {
  const name = packageOf(arch);
  process.stderr.write(`[nodes] fetching Node.js ${version} for ${arch}\n`);
  mkdirSync(folder, { recursive: true });
  rmSync(home, { recursive: true, force: true });
  const archive = join(folder, `${name}-${version}.tgz`);
  const packed = npm(['pack', `${name}@${version}`, '--silent', '--pack-destination', folder]);
  if (packed.status !== 0 || !existsSync(archive)) throw new Failure(`Node.js ${version} could not be fetched`);
  mkdirSync(home, { recursive: true });
  const tar = spawnSync('tar', ['-xzf', archive, '-C', home, '--strip-components=1'], { stdio: 'inherit' });
  rmSync(archive, { force: true });
  if (tar.status !== 0) {
    rmSync(home, { recursive: true, force: true });
    throw new Failure(`Node.js ${version} could not be unpacked`);
  }
}

/** Runs npm, the one that runs this script where it does. */
export function npm(args) {
  const script = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  const [command, first] = script ? [process.execPath, [script]] : ['npm', []];
  return spawnSync(command, [...first, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
