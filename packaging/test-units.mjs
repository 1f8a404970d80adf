/**
 * `npm run test:units`: the units of the Debian packages under a real systemd (Debian 12's, in a container of systemd-nspawn
 * without a network): the five services start with all their restrictions, work, come back after a kill and end with success.
 * Needs root, debootstrap and systemd-nspawn; the executables must be built.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Chroot } from './debian/chroot.mjs';
import { Machine } from './debian/machine.mjs';
import { buildPackage, packages } from './debian/package.mjs';
import { onePrefix } from './one-prefix.mjs';
import { main } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

const DEBIAN = ['systemd', 'systemd-sysv', 'dbus', 'adduser', 'libstdc++6', 'curl'];

/** What an administrator writes below the configuration that comes along, and what then answers. */
const SERVICES = {
  daemon: { settings: 'network = devnet\nadd-exclusive-node = 127.0.0.1:1\n', answers: '37856/height' },
  'wallet-api': { settings: 'network = devnet\nrpc-password = secret\n', answers: '7856/readyz' },
  'wallet-rpc': {
    settings:
      'network = devnet\nrpc-password = secret\ncontainer-password = secret\nbind-port = 7857\ndaemon-port = 37856\n',
    answers: '7857/readyz',
  },
  'pow-helper': { settings: 'network = devnet\n', answers: '17870/readyz' },
  proposals: { settings: 'network = devnet\n', answers: '17880/readyz' },
};

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-units-'));
  const machine = new Machine(join(folder, 'root'));
  try {
    new Chroot(machine.folder).make(join(top, '.bootstrap/systemd.tar'), DEBIAN);
    const where = { release: join(top, 'release'), version: '1.0.0.1', workshop: join(folder, 'w'), target: folder };
    for (const what of packages) {
      const file = buildPackage(what, { ...where, compression: 'none' });
      copyFileSync(file, join(machine.folder, 'var/tmp', basename(file)));
    }
    await machine.boot();
    machine.run('dpkg -i /var/tmp/*.deb');
    for (const name of Object.keys(SERVICES))
      assert.equal(machine.try(`systemctl is-active wrkz-${name}`).output.trim(), 'inactive', 'nothing is started');
    configure(machine);
    for (const name of Object.keys(SERVICES)) machine.run(`systemctl enable --now wrkz-${name}`);
    for (const [name, { answers }] of Object.entries(SERVICES))
      await machine.until(`${name} answers`, () => statusOf(machine, answers) === '200');
    work(machine);
    for (const name of Object.keys(SERVICES)) await comesBack(machine, name);
    for (const name of Object.keys(SERVICES)) {
      machine.run(`systemctl stop wrkz-${name}`);
      assert.match(
        machine.run(`systemctl show -p Result,ExecMainStatus wrkz-${name}`),
        /Result=success\nExecMainStatus=0/,
      );
      const figure = /exposure level for .*: ([\d.]+)/.exec(
        machine.run(`systemd-analyze security --no-pager wrkz-${name}`),
      );
      process.stdout.write(`wrkz-${name}: works, comes back, ends; exposure ${figure?.[1]}\n`);
    }
    const refused = machine.run('journalctl --no-pager -u "wrkz-*"').match(/.*(not permitted|EPERM|EACCES).*/gi);
    assert.equal(refused, null, `the units refuse what the programs ask for: ${refused?.join('\n')}`);
  } finally {
    if (machine.child) await machine.halt();
    rmSync(folder, { recursive: true, force: true });
  }
});

function configure(machine) {
  for (const [name, { settings }] of Object.entries(SERVICES))
    machine.run(`printf '${settings.replaceAll('\n', '\\n')}' >> /etc/wrkz/${name}.ini`);
  const make = 'wrkz-wallet-rpc --config-file /etc/wrkz/wallet-rpc.ini --generate-container';
  const user =
    'setpriv --reuid=wrkz-wallet-rpc --regid=wrkz-wallet-rpc --init-groups env HOME=/var/lib/wrkz/wallet-rpc';
  machine.run(`cd /var/lib/wrkz/wallet-rpc && umask 077 && ${user} ${make}`);
}

function statusOf(machine, path) {
  return machine.try(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${path}`).output.trim();
}

/** Each does what it is for: threads, native modules, files and sockets are all used. */
function work(machine) {
  const post = (path, body, more = '') =>
    JSON.parse(machine.run(`curl -s ${more} -d '${JSON.stringify(body)}' http://127.0.0.1:${path}`));
  const rpc = (path, method, params) =>
    post(path, { jsonrpc: '2.0', id: 1, method, params, password: 'secret' }).result;
  const key = '-H "X-API-KEY: secret"';
  const place = { daemonHost: '127.0.0.1', daemonPort: 37_856 };
  machine.run(
    `curl -sf ${key} -d '${JSON.stringify({ filename: 'w', password: 'p', ...place })}' http://127.0.0.1:7856/wallet/create`,
  );
  const [address] = rpc('7857/json_rpc', 'getAddresses', {}).addresses;
  assert.equal(rpc('37856/json_rpc', 'generateblocks', { wallet_address: address, count: 3 }).hashes.length, 3);
  assert.equal(post('17870/pow', { prefix: onePrefix(), wait_ms: 30_000 }).status, 'done');
  assert.match(machine.run('curl -s http://127.0.0.1:17880/'), /<html/);
  machine.run(
    'runuser -u wrkz-daemon -- wrkz-daemon --network=devnet --data-dir=/var/lib/wrkz/daemon --backup=/var/lib/wrkz/daemon/copy.sqlite',
  );
}

/** A process that was killed is started anew by its unit, and answers again. */
async function comesBack(machine, name) {
  machine.run(`systemctl kill --signal=SIGKILL wrkz-${name}`);
  await machine.until(`${name} comes back`, () => {
    const restarts = machine.try(`systemctl show -p NRestarts --value wrkz-${name}`).output.trim();
    return restarts === '1' && statusOf(machine, SERVICES[name].answers) === '200';
  });
}
