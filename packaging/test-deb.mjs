/**
 * `npm run test:deb`: the life of the Debian packages in a chroot of Debian 12 without a network: installed, each unit's
 * ExecStart run as its user until it answers SIGTERM with code 0, upgraded, removed, installed again, purged. Needs root
 * and debootstrap.
 */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chroot } from './debian/chroot.mjs';
import { buildPackage, packages } from './debian/package.mjs';
import { command } from './executables/materials.mjs';
import { main } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

/** What an administrator writes below the configuration that comes along. Nothing here reaches a real network. */
const SETTINGS = {
  daemon: 'network = devnet\nadd-exclusive-node = 127.0.0.1:1\n',
  'wallet-api': 'network = devnet\nrpc-password = secret\n',
  'wallet-rpc': 'network = devnet\nrpc-password = secret\ncontainer-password = secret\n',
  'pow-helper': 'network = devnet\n',
  proposals: 'network = devnet\n',
};

await main(() => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-debian-'));
  try {
    const chroot = new Chroot(join(folder, 'root'));
    chroot.make(join(top, '.bootstrap/bookworm.tar'));
    const services = packages.filter(({ service }) => service);
    const release = join(top, 'release');
    const build = (version) =>
      packages.map((what) =>
        buildPackage(what, { release, version, workshop: join(folder, 'w'), target: folder, compression: 'none' }),
      );
    const older = build('1.0.0.1');
    const newer = build('1.0.0.2').map((file) => withOtherDefaults(file, join(folder, 'w')));

    chroot.install(older);
    for (const one of services) checkInstalled(chroot, one);
    for (const one of services) runUnit(chroot, one);
    assert.match(chroot.run('wrkz-miner --version'), /^wrkz-miner 1\./);
    for (const { name } of packages) {
      const texts = chroot.read(`usr/share/doc/${name}/THIRD-PARTY-LICENSES.txt`);
      assert.match(texts, /Node\.js 24/);
    }
    const configured = services.map(({ service }) => chroot.read(`etc/wrkz/${service}.ini`));

    chroot.install(newer);
    assert.match(chroot.run('dpkg-query -W wrkz-daemon'), /1\.0\.0\.2/);
    assert.deepEqual(
      services.map(({ service }) => chroot.read(`etc/wrkz/${service}.ini`)),
      configured,
    );
    for (const { service } of services)
      assert.match(chroot.read(`etc/wrkz/${service}.ini.dpkg-dist`), /of a newer version/);
    for (const one of services) checkInstalled(chroot, one);
    // a package manager that was interrupted runs them once more
    for (const { name } of services)
      for (const words of ['postinst configure 1.0.0.1', 'prerm upgrade 1.0.0.3', 'postrm upgrade 1.0.0.3'])
        for (let i = 0; i < 2; i++) chroot.run(`/var/lib/dpkg/info/${name}.${words}`);
    for (const one of services) checkInstalled(chroot, one);

    const names = packages.map(({ name }) => name).join(' ');
    const data = () =>
      services.map(({ service }) =>
        chroot.run(`cd /var/lib/wrkz/${service} && find . -printf '%p %u %m %s\\n' | sort`),
      );
    const kept = data();
    chroot.run(`dpkg --remove ${names}`);
    for (const { name, service } of services) {
      assert.ok(!chroot.has(`usr/bin/${name}`) && !chroot.has(`lib/systemd/system/${name}.service`));
      assert.ok(chroot.has(`etc/wrkz/${service}.ini`), 'the configuration stays when a package is removed');
    }
    assert.deepEqual(data(), kept);
    chroot.install(newer);
    runUnit(chroot, services[0]);
    chroot.run(`dpkg --purge ${names}`);
    assert.ok(!chroot.has('etc/wrkz'), 'a purge takes the configuration');
    assert.deepEqual(data().slice(1), kept.slice(1));
    assert.ok(chroot.has('var/lib/wrkz/daemon/devnet'), 'a purge keeps the chain');
    process.stdout.write(`${packages.length} packages installed, run, upgraded, removed and purged\n`);
    for (const file of newer)
      process.stdout.write(`${file.split('/').at(-1)} ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The same package with another text of its configuration, as a later version has it. */
function withOtherDefaults(file, workshop) {
  const root = join(workshop, 'again');
  rmSync(root, { recursive: true, force: true });
  command('dpkg-deb', ['--raw-extract', file, root]);
  const folder = join(root, 'etc/wrkz');
  if (existsSync(folder))
    for (const name of readdirSync(folder)) appendFileSync(join(folder, name), '# of a newer version\n');
  command('dpkg-deb', ['--build', '--root-owner-group', '-Znone', root, file]);
  return file;
}

function checkInstalled(chroot, { name, service }) {
  const stat = (path) => chroot.run(`stat -c '%U:%G %a' ${path}`).trim();
  assert.equal(stat(`/etc/wrkz/${service}.ini`), `root:${name} 640`);
  assert.equal(stat(`/var/lib/wrkz/${service}`), `${name}:${name} 750`);
  assert.equal(stat(`/usr/bin/${name}`), 'root:root 755');
  assert.ok(!chroot.has(`etc/systemd/system/multi-user.target.wants/${name}.service`), `${name} is not switched on`);
}

/** Runs what the unit runs, where it runs it, until it listens; then as the service manager ends it. */
function runUnit(chroot, { name, service }) {
  const unit = chroot.read(`lib/systemd/system/${name}.service`);
  const value = (key) => new RegExp(`^${key}=(.+)$`, 'm').exec(unit)[1];
  const config = join(chroot.folder, `etc/wrkz/${service}.ini`);
  if (!chroot.read(`etc/wrkz/${service}.ini`).includes('devnet')) appendFileSync(config, SETTINGS[service]);
  chroot.run(`install -d -m 0700 -o ${name} -g ${name} /var/cache/${value('CacheDirectory')}`);
  const start = value('ExecStart');
  const enter = `cd ${value('WorkingDirectory')}; umask ${value('UMask')}; export CACHE_DIRECTORY=/var/cache/${value('CacheDirectory')}`;
  if (service === 'wallet-rpc' && !chroot.has('var/lib/wrkz/wallet-rpc/wallet.container')) {
    chroot.run(`${enter}; ${start} --generate-container`, value('User'));
  }
  // it listens when the system has a socket of its user in that state (0A)
  const line = `${enter}; ${start} & pid=$!
    for i in $(seq 600); do grep -q ' 0A .* '"$(id -u)"' ' /proc/net/tcp && break; kill -0 $pid || break; sleep 0.1; done
    grep -q ' 0A ' /proc/net/tcp || { kill $pid; exit 99; }
    kill -TERM $pid; wait $pid`;
  chroot.run(line, value('User'));
  // the others load theirs with the first job
  if (service !== 'daemon') return;
  assert.equal(chroot.run(`stat -c '%U %a' /var/cache/${name}/native`).trim(), `${name} 700`);
}
