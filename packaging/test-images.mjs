/**
 * `npm run test:images`: builds the images of docker/Dockerfile with a Docker engine of its own on bases of debootstrap,
 * then runs docker/compose.yaml and docker/compose.devnet.yaml with docker-compose: health checks, read-only file systems,
 * no capabilities, secrets, Redis and Prometheus, a payment, a killed program, an upgrade with volumes. The containers run
 * in a network namespace with loopback only. Needs root and the packages docker.io, docker-compose and debootstrap.
 */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { main, run } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';
import { Docker, Project, TARGETS } from './images/docker.mjs';
import { services } from './programs.mjs';
import { TRANSACTION_PREFIX, until } from './test-support.mjs';

/** The folder of the engine; set when this program runs again in its network namespace. */
const WITHIN = 'WRKZ_TEST_IMAGES';
const FIVE = services.map(({ service }) => service);
/** Programs that no image may contain. */
const BUILD_TOOLS = ['g++', 'gcc', 'make', 'python3'];

const report = (text) => process.stdout.write(`${text}\n`);

const require = createRequire(import.meta.url);

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
  const { requestJson } = require('../packages/testing/dist');
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
  const body = JSON.stringify({ prefix: TRANSACTION_PREFIX, wait_ms: 60_000 });
  const { status } = await requestJson(`${helper}/pow`, { method: 'POST', body });
  assert.equal(status, 'done', 'no proof of work');
  assert.ok(Number(project.exec('redis', 'redis-cli', 'dbsize').output) > 0, 'Redis has no key');
  report('a helper solves a job of the queue in Redis');

  for (const service of FIVE) await checkHealthCheck(project, service);
  report('every health check fails while its program hangs; a killed program is started again');
  project.compose('down', '-v');
}

async function testDevnet(docker) {
  const nodes = { a: 'wrkz-daemon', b: 'wrkz-daemon', c: 'wrkz-daemon' };
  const others = ['miner', 'pow-helper', 'wallet-api', 'wallet-rpc', 'proposals'];
  const images = { ...nodes, ...Object.fromEntries(others.map((service) => [service, `wrkz-${service}`])) };
  const project = new Project(docker, 'wrkz-devnet', join(top, 'docker/compose.devnet.yaml'), {
    images: { ...images, 'wallet-rpc-container': 'wrkz-wallet-rpc' },
  });
  project.compose('up', '-d', '--no-build');
  for (const service of ['a', 'b', 'c', 'pow-helper', 'wallet-api', 'wallet-rpc', 'proposals'])
    await healthy(project, service);
  const { requestJson, TestNodeClient } = require('../packages/testing/dist');
  const { DevnetWallets } = require('../packages/testing/dist/devnet/wallets');
  const node = (name) => new TestNodeClient(project.url(name, 17856));
  const height = async () => (await node('c').get('/height')).height;
  await until('blocks of the miner reach the last node', async () => (await height()) > 2);

  const [first, key] = [node('a'), 'devnet'];
  const [walletApi, walletRpc] = [project.url('wallet-api', 7856), `${project.url('wallet-rpc', 7856)}/json_rpc`];
  const wallets = new DevnetWallets({ walletApi, walletRpc, apiKey: key, rpcPassword: key });
  const file = { filename: 'w', password: 'p', daemonHost: 'c', daemonPort: 17856 };
  await wallets.api('POST', '/wallet/create', file);
  const { address } = await wallets.api('GET', '/addresses/primary');
  // From height 112 a transaction needs a proof of work.
  for (const count of [60, 60]) await first.generate(address, count);
  await until('the wallet can spend', async () => (await wallets.api('GET', '/balance')).unlocked > 0);
  const { addresses } = await wallets.rpc('getAddresses');
  await wallets.payFromAlice(addresses[0], 12_345);
  await until('the first node has the payment', async () => (await first.get('/info')).tx_pool_size > 0);
  await first.generate(address);
  await until('the other wallet has the payment', async () => (await wallets.rpc('getBalance')).lockedAmount >= 12_345);
  const { jobs } = await requestJson(`${project.url('pow-helper', 17870)}/stats`);
  assert.ok(jobs.completed > 0, 'the helper has solved no job');
  report('a payment goes from wallet to wallet, with a proof of work of the helper');

  const before = await height();
  // An image with another digest, like the next release.
  const commit = ['commit', '--change', 'LABEL upgraded=1', docker.docker('create', 'wrkz-daemon')];
  docker.docker('tag', docker.docker(...commit), 'wrkz-daemon');
  const old = project.container('c');
  project.compose('up', '-d', '--no-build', '--no-deps', 'c');
  assert.notEqual(project.container('c'), old, 'the node was not replaced');
  await healthy(project, 'c');
  assert.ok((await height()) >= before, 'the upgraded node has lost its chain');
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
  for (const line of [/^Uid:\s+10001\s+10001/m, /^CapBnd:\s+0+$/m, /^CapEff:\s+0+$/m])
    assert.match(output, line, service);
  const canWrite = (folder) => project.exec(service, 'touch', `${folder}/file`).status === 0;
  for (const folder of ['/', '/suite', '/etc', '/usr/local/bin'])
    assert.ok(!canWrite(folder), `${service} can write to ${folder}`);
  assert.ok(canWrite('/tmp'), `${service} cannot write to /tmp`);
  for (const tool of BUILD_TOOLS)
    assert.notEqual(project.exec(service, 'test', '-e', `/usr/bin/${tool}`).status, 0, `${service} has ${tool}`);
}

/** The health check fails while the program is stopped; after SIGKILL the engine starts the container again. */
async function checkHealthCheck(project, service) {
  const [, ...check] = project.inspect(service).Config.Healthcheck.Test;
  const isHealthy = () => project.exec(service, ...check).status === 0;
  project.signal(service, 'SIGSTOP');
  assert.ok(!isHealthy(), `${service}: the health check passes while the program hangs`);
  project.signal(service, 'SIGCONT');
  // As the engine does: a container is unhealthy after three failures in a row.
  assert.ok(isHealthy() || isHealthy() || isHealthy(), `${service}: the health check fails after the program resumed`);
  project.signal(service, 'SIGKILL');
  await until(`${service} is started again`, () => project.inspect(service).RestartCount === 1 && isHealthy());
}

async function healthy(project, service) {
  await until(`${service} is healthy`, () => project.inspect(service).State.Health.Status === 'healthy');
}

async function timed(step, work) {
  const begun = Date.now();
  const result = await work();
  report(`${step}: ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  return result;
}
