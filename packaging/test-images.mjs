/**
 * `npm run test:images`: builds the images of docker/Dockerfile with a Docker engine of its own on bases of debootstrap,
 * then runs docker/compose.yaml and docker/compose.devnet.yaml with docker-compose: health checks, read-only file systems,
 * no capabilities, secrets, Redis and Prometheus, a payment, a killed program, an upgrade with volumes. The containers run
 * in a network namespace with loopback only. Needs root and the packages docker.io, docker-compose and debootstrap.
 */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';
import { Docker, Project, TARGETS } from './images/docker.mjs';
import { services } from './programs.mjs';
import { TRANSACTION_PREFIX } from './test-support.mjs';

/** Longest wait for a state, milliseconds. */
const TIMEOUT_MS = 300_000;
/** The folder of the engine; set when this program runs again in its network namespace. */
const WITHIN = 'WRKZ_TEST_IMAGES';
const FIVE = services.map(({ service }) => service);
/** No image holds these. */
const BUILD_TOOLS = ['g++', 'gcc', 'make', 'python3'];

const report = (text) => process.stdout.write(`${text}\n`);
const require = createRequire(import.meta.url);
const requestJson = (url, options) => require('../packages/testing/dist').requestJson(url, options);
const post = (url, body, headers) => requestJson(url, { method: 'POST', body: JSON.stringify(body), headers });

await main(() => (process.env[WITHIN] ? testImages(process.env[WITHIN]) : buildAndTest()));
process.exit();

async function buildAndTest() {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-images-'));
  // Every user of a container may enter it.
  chmodSync(folder, 0o755);
  const docker = new Docker(folder);
  try {
    await bootstrap();
    await docker.start();
    await timed('build', () => docker.build());
    docker.importBase('redis', ['USER redis', 'WORKDIR /data']);
    docker.importBase('prometheus', [
      'USER nobody',
      'ENTRYPOINT ["prometheus"]',
      'CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
    ]);
    const sizeOf = (image) => Number(docker.docker('inspect', '--format', '{{.Size}}', image)) / 2 ** 20;
    const base = sizeOf('wrkz-base-run');
    for (const target of TARGETS) {
      const size = sizeOf(`wrkz-${target}`);
      report(`${target}: ${size.toFixed(0)} MiB, ${(size - base).toFixed(0)} MiB more than the base`);
    }
    await docker.stop();
    const again = ['--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath];
    return await run('unshare', [...again, fileURLToPath(import.meta.url)], { env: { [WITHIN]: folder } });
  } finally {
    await docker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testImages(folder) {
  const docker = new Docker(folder);
  try {
    await docker.start();
    await timed('docker/compose.yaml', () => testCompose(docker));
    await timed('docker/compose.devnet.yaml', () => testDevnet(docker));
  } finally {
    await docker.stop();
  }
}

async function testCompose(docker) {
  const images = Object.fromEntries(FIVE.map((service) => [service, `wrkz-${service}`]));
  const project = new Project(docker, 'wrkz', join(top, 'docker/compose.yaml'), {
    images: {
      ...images,
      'pow-helper-shared': 'wrkz-pow-helper',
      redis: 'wrkz-base-redis',
      prometheus: 'wrkz-base-prometheus',
    },
    environment: writeSecrets(docker.folder),
    profiles: ['wallet', 'redis', 'monitoring'],
  });
  const create = ['wallet-rpc', '--generate-container', '--config-file=/run/secrets/wallet-rpc'];
  project.compose('run', '--rm', '--no-deps', '-T', ...create);
  project.compose('up', '-d', '--no-build', ...FIVE, 'redis', 'pow-helper-shared', 'prometheus');
  for (const service of [...FIVE, 'redis', 'pow-helper-shared']) await healthy(project, service);
  report('every service is healthy');

  for (const service of FIVE) checkConfinement(project, service);
  report('every service runs as its user, without capabilities, on a read-only file system and without build tools');

  await until('Prometheus scrapes the daemon, the helper and the listing', async () => {
    const { data } = await requestJson(`${project.url('prometheus', 9090)}/api/v1/targets`);
    const targets = data.activeTargets;
    return targets.length === 3 && targets.every(({ health }) => health === 'up');
  });

  const helper = project.url('pow-helper-shared', 17870);
  const { status } = await post(`${helper}/pow`, { prefix: TRANSACTION_PREFIX, wait_ms: 60_000 });
  if (status !== 'done') throw new Failure(`no proof of work: ${status}`);
  if (!(Number(project.exec('redis', 'redis-cli', 'dbsize').output) > 0)) throw new Failure('Redis has no key');
  report('a helper solves a job of the queue in Redis');

  for (const service of FIVE) await checkHealthCheck(project, service);
  report('every health check fails while its program hangs; a killed program is started again');
  project.compose('down', '-v');
}

async function testDevnet(docker) {
  const nodes = { a: 'wrkz-daemon', b: 'wrkz-daemon', c: 'wrkz-daemon' };
  const others = ['miner', 'pow-helper', 'wallet-api', 'wallet-rpc', 'proposals'];
  const images = { ...nodes, ...Object.fromEntries(others.map((service) => [service, `wrkz-${service}`])) };
  const file = join(top, 'docker/compose.devnet.yaml');
  const project = new Project(docker, 'wrkz-devnet', file, {
    images: { ...images, 'wallet-rpc-container': 'wrkz-wallet-rpc' },
  });
  project.compose('up', '-d', '--no-build');
  for (const service of ['a', 'b', 'c', 'pow-helper', 'wallet-api', 'wallet-rpc', 'proposals'])
    await healthy(project, service);
  const heightOf = async (node) => (await requestJson(`${project.url(node, 17856)}/height`)).height;
  await until('blocks of the miner reach the last node', async () => (await heightOf('c')) > 2);

  const headers = { 'X-API-KEY': 'devnet' };
  const wallet = (path, body) => {
    const url = project.url('wallet-api', 7856) + path;
    return body === undefined ? requestJson(url, { headers }) : post(url, body, headers);
  };
  await wallet('/wallet/create', { filename: 'w', password: 'p', daemonHost: 'c', daemonPort: 17856 });
  const { address } = await wallet('/addresses/primary');
  const mine = (count) => rpc(project.url('a', 17856), 'generateblocks', { wallet_address: address, count });
  // From height 112 a transaction needs a proof of work.
  await mine(60);
  await mine(60);
  await until('the wallet has an unlocked balance', async () => (await wallet('/balance')).unlocked > 0);
  const walletRpc = (method) => rpc(project.url('wallet-rpc', 7856), method, {}, 'devnet');
  const [destination] = (await walletRpc('getAddresses')).addresses;
  await wallet('/transactions/send/basic', { destination, amount: 12_345 });
  await until('the first node has the payment in its pool', async () => {
    return (await requestJson(`${project.url('a', 17856)}/info`)).tx_pool_size > 0;
  });
  await mine(1);
  await until('the other wallet has the payment', async () => (await walletRpc('getBalance')).lockedAmount >= 12_345);
  const { jobs } = await requestJson(`${project.url('pow-helper', 17870)}/stats`);
  if (!(jobs.completed > 0)) throw new Failure('the helper has solved no job');
  report('a payment goes from wallet to wallet, with a proof of work of the helper');

  const before = await heightOf('c');
  // An image that differs, as the next release does.
  const commit = ['commit', '--change', 'LABEL upgraded=1', docker.docker('create', 'wrkz-daemon')];
  docker.docker('tag', docker.docker(...commit), 'wrkz-daemon');
  const old = project.container('c');
  project.compose('up', '-d', '--no-build', '--no-deps', 'c');
  if (project.container('c') === old) throw new Failure('the node was not replaced');
  await healthy(project, 'c');
  if ((await heightOf('c')) < before) throw new Failure('the upgraded node has lost its chain');
  project.compose('down', '-v');
  report('an upgraded node has the chain of its volume');
}

/** Writes the files that the operator puts beside compose.yaml, owned by the user of the images. */
function writeSecrets(folder) {
  const write = (name, lines) => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o400 });
    chownSync(path, 10_001, 10_001);
    return path;
  };
  const rpc = ['rpc-password=a key', 'container-file=main.wallet', 'container-password=secret'];
  return {
    WRKZ_WALLET_API_CONFIG: write('wallet-api.ini', ['rpc-password=a key']),
    WRKZ_WALLET_RPC_CONFIG: write('wallet-rpc.ini', rpc),
  };
}

function checkConfinement(project, service) {
  const { output } = project.exec(service, 'cat', '/proc/1/status');
  if (!/^Uid:\s+10001\s+10001/m.test(output)) throw new Failure(`${service} does not run as its user`);
  if (!/^CapBnd:\s+0+$/m.test(output) || !/^CapEff:\s+0+$/m.test(output))
    throw new Failure(`${service} has capabilities`);
  const canWrite = (folder) => project.exec(service, 'touch', `${folder}/file`).status === 0;
  for (const folder of ['/', '/suite', '/etc', '/usr/local/bin'])
    if (canWrite(folder)) throw new Failure(`${service} can write to ${folder}`);
  if (!canWrite('/tmp')) throw new Failure(`${service} cannot write to /tmp`);
  for (const tool of BUILD_TOOLS)
    if (project.exec(service, 'test', '-e', `/usr/bin/${tool}`).status === 0)
      throw new Failure(`the image of ${service} has ${tool}`);
}

/** The health check fails while the program is stopped; after SIGKILL the engine starts the container again. */
async function checkHealthCheck(project, service) {
  const [, ...check] = project.inspect(service).Config.Healthcheck.Test;
  const isHealthy = () => project.exec(service, ...check).status === 0;
  project.signal(service, 'SIGSTOP');
  if (isHealthy()) throw new Failure(`${service}: the health check passes while the program hangs`);
  project.signal(service, 'SIGCONT');
  // As the engine does: a container is unhealthy after three failures in a row.
  if (!isHealthy() && !isHealthy() && !isHealthy())
    throw new Failure(`${service}: the health check fails after the program resumed`);
  project.signal(service, 'SIGKILL');
  await until(`${service} is started again`, () => project.inspect(service).RestartCount === 1 && isHealthy());
}

async function healthy(project, service) {
  await until(`${service} is healthy`, () => project.inspect(service).State.Health.Status === 'healthy');
}

async function rpc(url, method, params, password) {
  const response = await post(`${url}/json_rpc`, { jsonrpc: '2.0', id: 1, method, params, password });
  if (response.result === undefined) throw new Failure(`${method}: ${JSON.stringify(response)}`);
  return response.result;
}

async function until(state, isReached) {
  const limit = Date.now() + TIMEOUT_MS;
  let last;
  while (Date.now() < limit) {
    try {
      if (await isReached()) return;
    } catch (error) {
      last = error;
    }
    await pause(250);
  }
  throw new Failure(`not reached: ${state}; ${last?.stack ?? ''}`);
}

async function timed(step, work) {
  const begun = Date.now();
  const result = await work();
  report(`${step}: ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  return result;
}
