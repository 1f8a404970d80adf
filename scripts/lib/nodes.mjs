import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { command, Failure } from './run.mjs';
import { top } from './workspace.mjs';

/** The supported major versions of Node.js. */
export const NODE_MAJORS = ['20', '22', '24', '26'];

/** Downloads and copies of the workspace. */
export const NODES_FOLDER = join(top, '.bootstrap/nodes');

/**
 * The newest Node.js of a major version for a processor, from the npm package `node-<platform>-<arch>`. If the registry is
 * not available, an earlier download is used.
 * @returns {{version: string, program: string}}
 */
export function nodeOf(major, arch = process.arch) {
  const name = `node-${process.platform}-${arch}`;
  const home = join(NODES_FOLDER, `${arch}-${major}`);
  const folder = join(home, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  try {
    // --force: for another processor
    const options = ['--no-save', '--no-package-lock', '--force', '--ignore-scripts'];
    npm(['install', '--prefix', home, ...options, `${name}@${major}`]);
  } catch (error) {
    if (!existsSync(folder)) throw new Failure(`Node.js ${major} for ${arch} is not available: ${error.message}`);
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { version, program: join(folder, 'bin/node') };
}

/** The environment in which `node` is a certain program, without the settings of the npm that runs this script. */
export function environmentOf(program) {
  const foreign = /^(NODE|npm_(execpath|node_execpath|command|lifecycle_.*|package_.*|config_(nodedir|node_gyp).*))$/;
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  return { ...environment, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
}

/** Runs npm: the one that runs this script, or the one in PATH. @returns its output @throws Failure */
export function npm(args) {
  const script = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  return script === undefined ? command('npm', args) : command(process.execPath, [script, ...args]);
}
