/**
 * `npm run test:images`: builds docker/Dockerfile with buildah on bases of debootstrap, then runs what docker/compose.yaml and
 * docker/compose.devnet.yaml describe in namespaces, without an engine and on a network that nothing leads out of: each service
 * as its user on a read-only file system, health checks green and red, Redis and Prometheus beside them, a payment through a
 * network of three nodes. Needs root, debootstrap, buildah, unshare and ip.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { command } from './executables/materials.mjs';
import { buildImages, layOutBase } from './images/build.mjs';
import { Network } from './images/network.mjs';
import { composeScene, devnetScene } from './images/scenes.mjs';
import { main, run } from './lib/run.mjs';

const SPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The program, run again where nothing leads out. */
const WITHIN = 'WRKZ_TEST_IMAGES';

const say = (text) => process.stdout.write(`${text}\n`);

await main(() => (process.env[WITHIN] ? play(process.env[WITHIN]) : prepare()));
// the first process of the namespace takes whatever still runs there with it
if (process.env[WITHIN]) process.exit();

async function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-images-'));
  try {
    const images = await timed('the images', () => buildImages(join(folder, 'roots')));
    const base = sizeOf(layOutBase('run', join(folder, 'roots')));
    for (const [target, { root }] of images)
      say(`${target}: ${sizeOf(root)} MiB, ${sizeOf(root) - base} of them beside the base`);
    const standIns = {
      redis: layOutBase('redis', join(folder, 'roots')),
      prometheus: layOutBase('prometheus', join(folder, 'roots')),
    };
    writeFileSync(join(folder, 'world.json'), JSON.stringify({ images: [...images], standIns }));
    return await run('unshare', [...SPACES, process.execPath, fileURLToPath(import.meta.url)], {
      env: { [WITHIN]: folder },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(folder) {
  const { images, standIns } = JSON.parse(readFileSync(join(folder, 'world.json'), 'utf8'));
  const world = { images: new Map(images), standIns: foreign(standIns), folder };
  // the names of network namespaces are kept there
  command('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  mkdirSync('/run/netns');
  const network = new Network('10.83.0');
  await timed('docker/compose.yaml', () => composeScene({ ...world, network }, say));
  await timed('docker/compose.devnet.yaml', () => devnetScene({ ...world, network }, say));
}

/** What compose.yaml takes from registries, as Debian has it. */
function foreign({ redis, prometheus }) {
  const idOf = (root, name) =>
    new RegExp(`^${name}:x:(\\d+):(\\d+)`, 'm').exec(readFileSync(join(root, 'etc/passwd'), 'utf8'));
  const [, user, group] = idOf(redis, 'redis');
  const settings = ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus'];
  return {
    redis: { root: redis, user: '', entrypoint: [], cmd: [], owner: `${user}:${group}`, workingDir: '/data' },
    prometheus: { root: prometheus, user: '65534', entrypoint: ['prometheus'], cmd: settings, owner: '65534:65534' },
  };
}

/** MiB of a file system. */
function sizeOf(root) {
  return Number(command('du', ['-sm', '--apparent-size', root]).split('\t')[0]);
}

async function timed(what, work) {
  const begun = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return result;
}
