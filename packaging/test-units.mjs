/**
 * `npm run test:units`: installs the Debian packages in a Debian 12 with systemd (a container of systemd-nspawn without a
 * network). The five services start with all restrictions of their units, work, restart after SIGKILL and stop with
 * success. Needs root, debootstrap and systemd-nspawn; the executables must be built.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../scripts/lib/run.mjs';
import { buildPackage } from './debian/package.mjs';
import { Container } from './debian/test-systems.mjs';
import { programs } from './programs.mjs';
import { SETTINGS, TRANSACTION_PREFIX } from './test-support.mjs';

/** By service: a path that returns 200 while it runs. */
const PATHS = {
  daemon: '37856/height',
  'wallet-api': '7856/readyz',
  'wallet-rpc': '7857/readyz',
  'pow-helper': '17870/readyz',
  proposals: '17880/readyz',
};

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-units-'));
  const container = new Container(join(folder, 'root'));
  try {
    container.create('systemd');
    await container.boot();
    const options = { version: '1.0.0.1', work: join(folder, 'work'), target: folder, compression: 'none' };
    container.install(programs.map((program) => buildPackage(program, options)));
    for (const name of Object.keys(PATHS))
      assert.equal(container.try(`systemctl is-active wrkz-${name}`).output.trim(), 'inactive', `${name} is started`);
    configure(container);
    for (const name of Object.keys(PATHS)) container.run(`systemctl enable --now wrkz-${name}`);
    for (const [name, path] of Object.entries(PATHS))
      await container.until(`${name} is ready`, () => statusOf(container, path) === '200');
    work(container);
    for (const name of Object.keys(PATHS)) await checkRestart(container, name);
    for (const name of Object.keys(PATHS)) {
      container.run(`systemctl stop wrkz-${name}`);
      const result = container.run(`systemctl show -p Result,ExecMainStatus wrkz-${name}`);
      assert.match(result, /Result=success\nExecMainStatus=0/);
      const rating = container.run(`systemd-analyze security --no-pager wrkz-${name}`);
      const exposure = /exposure level for .*: ([\d.]+)/.exec(rating)?.[1];
      process.stdout.write(`wrkz-${name}: works, restarts, stops; exposure ${exposure}\n`);
    }
    const denied = container.run('journalctl --no-pager -u "wrkz-*"').match(/.*(not permitted|EPERM|EACCES).*/gi);
    assert.equal(denied, null, `the units deny operations of the programs: ${denied?.join('\n')}`);
  } finally {
    await container.halt();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Appends the settings and creates the container of wallet-rpc. */
function configure(container) {
  for (const [name, settings] of Object.entries(SETTINGS))
    container.run(`printf '${settings.replaceAll('\n', '\\n')}' >> /etc/wrkz/${name}.ini`);
  const make = 'wrkz-wallet-rpc --config-file /etc/wrkz/wallet-rpc.ini --generate-container';
  const user =
    'setpriv --reuid=wrkz-wallet-rpc --regid=wrkz-wallet-rpc --init-groups env HOME=/var/lib/wrkz/wallet-rpc';
  container.run(`cd /var/lib/wrkz/wallet-rpc && umask 077 && ${user} ${make}`);
}

function statusOf(container, path) {
  return container.try(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${path}`).output.trim();
}

/** Uses the threads, native modules, files and sockets of each service. */
function work(container) {
  const post = (path, body, more = '') =>
    JSON.parse(container.run(`curl -s ${more} -d '${JSON.stringify(body)}' http://127.0.0.1:${path}`));
  const rpc = (path, method, params) =>
    post(path, { jsonrpc: '2.0', id: 1, method, params, password: 'secret' }).result;
  const key = '-H "X-API-KEY: secret"';
  const node = { daemonHost: '127.0.0.1', daemonPort: 37_856 };
  container.run(
    `curl -sf ${key} -d '${JSON.stringify({ filename: 'w', password: 'p', ...node })}' http://127.0.0.1:7856/wallet/create`,
  );
  const [address] = rpc('7857/json_rpc', 'getAddresses', {}).addresses;
  assert.equal(rpc('37856/json_rpc', 'generateblocks', { wallet_address: address, count: 3 }).hashes.length, 3);
  assert.equal(post('17870/pow', { prefix: TRANSACTION_PREFIX, wait_ms: 30_000 }).status, 'done');
  assert.match(container.run('curl -s http://127.0.0.1:17880/'), /<html/);
  container.run(
    'runuser -u wrkz-daemon -- wrkz-daemon --network=devnet --data-dir=/var/lib/wrkz/daemon --backup=/var/lib/wrkz/daemon/copy.sqlite',
  );
}

/** systemd restarts a killed process, and the service is ready again. */
async function checkRestart(container, name) {
  container.run(`systemctl kill --signal=SIGKILL wrkz-${name}`);
  await container.until(`${name} restarts`, () => {
    const restarts = container.try(`systemctl show -p NRestarts --value wrkz-${name}`).output.trim();
    return restarts === '1' && statusOf(container, PATHS[name]) === '200';
  });
}
