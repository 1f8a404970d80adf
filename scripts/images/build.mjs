import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../executables/materials.mjs';
import { npm } from '../lib/nodes.mjs';
import { Failure, run } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';
import { baseArchive } from './base.mjs';

/** The targets of docker/Dockerfile that are images. */
export const TARGETS = ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'miner'];

/** No engine, no layers of another file system: both work without rights that a container itself may lack. */
const SETTINGS = { STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };

const tool = (...args) => command('buildah', args, { env: { ...process.env, ...SETTINGS }, maxBuffer: 2 ** 28 }).trim();

/**
 * Builds every image of docker/Dockerfile with buildah.
 * @param workshop folder for the file systems
 * @returns {Promise<Map<string, Image>>} by target
 * @typedef {{target: string, root: string, user: string, entrypoint: string[], cmd: string[], health?: string[], volumes: string[]}} Image
 *   `root` is its file system, laid out
 */
export async function buildImages(workshop) {
  mkdirSync(workshop, { recursive: true });
  const bases = { BUILD_IMAGE: importBase('build'), RUN_IMAGE: importBase('run') };
  const images = new Map();
  for (const target of TARGETS) {
    const name = `localhost/wrkz-${target}`;
    const args = Object.entries(bases).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
    const what = [
      'build',
      '--format=docker',
      '--layers',
      '--pull=never',
      ...args,
      `--target=${target}`,
      `--tag=${name}`,
    ];
    const file = ['--file', join(top, 'docker/Dockerfile'), '--ignorefile', join(top, '.dockerignore'), top];
    const code = await run('buildah', [...what, ...file], { env: SETTINGS, quiet: true });
    if (code !== 0) throw new Failure(`${target}: the image could not be built`);
    images.set(target, { target, root: layOut(name, join(workshop, target)), ...configuration(name) });
  }
  return images;
}

/** The root file system of a base that stands in for an image of a registry. */
export function layOutBase(name, workshop) {
  const root = join(workshop, name);
  mkdirSync(root, { recursive: true });
  command('tar', ['-xf', baseArchive(name), '-C', root]);
  return withHosts(root);
}

function importBase(name) {
  const image = `localhost/wrkz-base-${name}:latest`;
  const archive = baseArchive(name);
  if (tool('images', '--noheading', '--filter', `reference=${image}`) !== '') return image;
  const container = tool('from', 'scratch');
  tool('add', container, archive, '/');
  const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  if (name === 'build') Object.assign(environment, waysOut(container));
  for (const [key, value] of Object.entries(environment)) tool('config', '--env', `${key}=${value}`, container);
  tool('commit', '--quiet', '--format=docker', container, image);
  tool('rm', container);
  return image;
}

/** The registry of this machine, and whom it trusts, for the stage that compiles; the headers lie beside the program. */
function waysOut(container) {
  const environment = { npm_config_nodedir: '/usr/local' };
  environment.npm_config_registry = npm(['config', 'get', 'registry']).stdout.trim();
  const trusted = process.env.NODE_EXTRA_CA_CERTS;
  if (trusted === undefined) return environment;
  const inside = '/etc/ssl/certs/of-the-machine.crt';
  tool('copy', container, trusted, inside);
  return { ...environment, NODE_EXTRA_CA_CERTS: inside, npm_config_cafile: inside };
}

/** A copy of an image's file system in a folder. */
function layOut(image, root) {
  if (existsSync(root)) rmSync(root, { recursive: true });
  const container = tool('from', '--pull=never', image);
  try {
    command('cp', ['-a', tool('mount', container), root]);
  } finally {
    tool('rm', container);
  }
  return withHosts(root);
}

/** The place where a list of names is mounted later. */
function withHosts(root) {
  if (!existsSync(join(root, 'etc/hosts'))) writeFileSync(join(root, 'etc/hosts'), '');
  return root;
}

function configuration(image) {
  const { config } = JSON.parse(tool('inspect', '--type=image', image)).Docker;
  return {
    user: config.User,
    entrypoint: config.Entrypoint ?? [],
    cmd: config.Cmd ?? [],
    env: config.Env ?? [],
    workingDir: config.WorkingDir || '/',
    health: config.Healthcheck?.Test?.slice(1),
    volumes: Object.keys(config.Volumes ?? {}),
  };
}
