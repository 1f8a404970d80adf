import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../executables/program.mjs';
import { onePrefix } from '../lib/one-prefix.mjs';
import { Failure } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';
import { Project } from './project.mjs';

/* What the images must do for a test, each in the compose file that names it. */

const PATIENCE = 180_000;
const FIVE = ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals'];
/** None of it belongs into an image. */
const FORBIDDEN = ['usr/bin/g++', 'usr/bin/gcc', 'usr/bin/make', 'usr/bin/python3', 'build'];
const FORBIDDEN_PACKAGES = /^(jest|typescript|esbuild|eslint|prettier|node-gyp|@swc\+core)@/;

/** @param world `{ images, network, folder }` */
export async function composeScene(world, say) {
  const folder = join(world.folder, 'compose');
  mkdirSync(folder);
  const environment = secrets(folder);
  const project = new Project(join(top, 'docker/compose.yaml'), {
    ...world,
    folder,
    environment,
    profiles: ['wallet', 'redis', 'monitoring'],
    without: ['grafana'],
  });
  try {
    const make = ['--generate-container', '--config-file=/run/secrets/wallet-rpc'];
    await project.runOnce('wallet-rpc', make);
    await project.up();
    for (const name of [...FIVE, 'redis', 'pow-helper-shared']) {
      const took = await project.healthy(name);
      say(`${name} is well after ${(took / 1000).toFixed(1)} s`);
    }
    for (const name of FIVE) {
      isConfined(project.running.get(name));
      holdsNoTools(world.images.get(name).root);
    }
    await drawsFigures(project);
    say('Prometheus reads the daemon, the helper and the listing');
    await sharesJobs(project);
    say('a helper solves a job of the queue in Redis');
    for (const name of FIVE) await followsItsProgram(project, name);
    say('each health check is red while its program hangs, green when it goes on, red when it has ended');
    await project.down();
  } finally {
    project.kill();
  }
}

export async function devnetScene(world, say) {
  const folder = join(world.folder, 'devnet');
  mkdirSync(folder);
  const project = new Project(join(top, 'docker/compose.devnet.yaml'), { ...world, folder });
  try {
    await project.up();
    say(`${project.running.size} containers run`);
    const heightOf = async (name) => (await ask(`${project.url(name, 17856)}/height`)).body.height;
    await until('the miner finds blocks, and the last of the line has them', async () => (await heightOf('c')) > 2);
    await until('the helper and the listing are ready', async () => {
      const ports = { 'pow-helper': 17870, proposals: 17880, 'wallet-api': 7856, 'wallet-rpc': 7856 };
      const answers = Object.entries(ports).map(([name, port]) => ask(`${project.url(name, port)}/readyz`));
      return (await Promise.all(answers)).every(({ status }) => status === 200);
    });

    const wallet = walletOf(project);
    await wallet('/wallet/create', { filename: 'w', password: 'p', daemonHost: 'c', daemonPort: 17856 });
    const { address } = await wallet('/addresses/primary');
    const mine = (count) => rpc(project.url('a', 17856), 'generateblocks', { wallet_address: address, count });
    // from 112 on a transaction carries a proof of work
    await mine(60);
    await mine(60);
    await until('the wallet has unlocked money', async () => (await wallet('/balance')).unlocked > 0);
    const called = (method, params = {}) => rpc(project.url('wallet-rpc', 7856), method, params, 'devnet');
    const [other] = (await called('getAddresses')).addresses;
    await wallet('/transactions/send/basic', { destination: other, amount: 12_345 });
    await until('the pool of the first node has the payment', async () => {
      return (await ask(`${project.url('a', 17856)}/info`)).body.tx_pool_size > 0;
    });
    await mine(1);
    await until('the other wallet has the money', async () => (await called('getBalance')).lockedAmount >= 12_345);
    const solved = await solvedBy(project.url('pow-helper', 17870));
    if (!(solved > 0)) throw new Failure('the wallet did not ask the helper');
    say(
      'blocks go from a to c, a payment from the wallet at c through the helper and the pool of a into a block and back',
    );

    const before = await heightOf('c');
    const c = project.running.get('c');
    if ((await c.stop()) !== 0) throw new Failure(`c ended with ${c.code}`);
    c.remove();
    await project.start('c');
    await project.healthy('c');
    if ((await heightOf('c')) < before) throw new Failure('a node that was made anew has lost its chain');
    await project.down();
    say('a node keeps its chain in its volume; every container ends by SIGTERM with code 0');
  } finally {
    project.kill();
  }
}

/** What the administrator puts beside the compose file, for the user of the images. */
function secrets(folder) {
  const files = {
    WRKZ_WALLET_API_CONFIG: ['wallet-api.ini', 'rpc-password=a key\n'],
    WRKZ_WALLET_RPC_CONFIG: [
      'wallet-rpc.ini',
      'rpc-password=a key\ncontainer-file=main.wallet\ncontainer-password=secret\n',
    ],
  };
  return Object.fromEntries(
    Object.entries(files).map(([key, [name, text]]) => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o400 });
      chownSync(path, 10_001, 10_001);
      return [key, path];
    }),
  );
}

function isConfined(container) {
  const { output } = container.run(['cat', '/proc/1/status']);
  if (!/^Uid:\s+10001\s+10001/m.test(output)) throw new Failure(`${container.name} does not run as its user`);
  if (!/^CapBnd:\s+0+$/m.test(output) || !/^CapEff:\s+0+$/m.test(output))
    throw new Failure(`${container.name} has capabilities`);
  for (const path of ['/', '/suite', '/etc', '/usr/local/bin'])
    if (container.canWrite(path)) throw new Failure(`${container.name} can write to ${path}`);
  if (!container.canWrite('/tmp')) throw new Failure(`${container.name} cannot write to /tmp`);
}

function holdsNoTools(root) {
  for (const path of FORBIDDEN) if (existsSync(join(root, path))) throw new Failure(`an image has ${path}`);
  const names =
    readFileSync(join(root, 'suite/node_modules/.modules.yaml'), 'utf8').match(/[@\w+.-]+@\d[\w.-]*/g) ?? [];
  const surplus = names.filter((name) => FORBIDDEN_PACKAGES.test(name));
  if (surplus.length > 0) throw new Failure(`an image has ${surplus.join(', ')}`);
}

async function drawsFigures(project) {
  const prometheus = project.running.get('prometheus');
  const checked = prometheus.run(['promtool', 'check', 'config', '/etc/prometheus/prometheus.yml']);
  if (checked.status !== 0) throw new Failure(`promtool: ${checked.output}`);
  const url = `${project.url('prometheus', 9090)}/api/v1/targets`;
  await until('Prometheus has figures of all', async () => {
    const { body } = await ask(url);
    const targets = body.data.activeTargets;
    return targets.length === 3 && targets.every(({ health }) => health === 'up');
  });
}

async function sharesJobs(project) {
  const url = project.url('pow-helper-shared', 17870);
  const before = await solvedBy(url);
  const body = { prefix: onePrefix(), wait_ms: 60_000 };
  const answer = await ask(`${url}/pow`, { body });
  if (answer.body?.status !== 'done') throw new Failure(`no proof: ${answer.text}`);
  const keys = project.running.get('redis').run(['redis-cli', 'dbsize']);
  if (!(Number(keys.output.match(/\d+/)?.[0]) > 0)) throw new Failure(`Redis knows nothing: ${keys.output}`);
  if (!((await solvedBy(url)) > before)) throw new Failure('the helper counts no job');
}

/** Green, red while the program stands still, green when it goes on, red when it has ended. */
async function followsItsProgram(project, name) {
  const container = project.running.get(name);
  const seen = [];
  const look = () => seen.push(container.health().status === 0 ? 'green' : 'red');
  look();
  container.signal('SIGSTOP');
  look();
  container.signal('SIGCONT');
  look();
  container.signal('SIGTERM');
  await container.ended;
  look();
  if (seen.join(' ') !== 'green red green red' || container.code !== 0)
    throw new Failure(`${name}: ${seen.join(' ')}, then code ${container.code}\n${container.text}`);
}

function walletOf(project) {
  return async (path, body) => {
    const answer = await ask(project.url('wallet-api', 7856) + path, { headers: { 'X-API-KEY': 'devnet' }, body });
    if (answer.status >= 300) throw new Failure(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
}

async function rpc(url, method, params, password) {
  const { body, text } = await ask(`${url}/json_rpc`, { body: { jsonrpc: '2.0', id: 1, method, params, password } });
  if (body?.result === undefined) throw new Failure(`${method}: ${text}`);
  return body.result;
}

/** Jobs that the helper has ended with a proof. */
const solvedBy = async (url) => (await ask(`${url}/stats`)).body.jobs.completed;

async function until(what, isSo) {
  const limit = performance.now() + PATIENCE;
  let last;
  while (performance.now() < limit) {
    try {
      if (await isSo()) return;
    } catch (error) {
      last = error;
    }
    await pause(100);
  }
  throw new Failure(`waited in vain: ${what}; ${last?.stack ?? ''}`);
}
