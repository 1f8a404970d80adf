/**
 * `npm run test:deb`: installs, upgrades, removes, reinstalls and purges the Debian packages in a chroot of Debian 12
 * without a network. Runs the ExecStart of each unit as its user; SIGTERM must end it with code 0. Needs root and
 * debootstrap; the executables must be built.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { command, main } from '../scripts/lib/run.mjs';
import { buildPackage } from './debian/package.mjs';
import { Chroot } from './debian/test-systems.mjs';
import { programs, services } from './programs.mjs';
import { SETTINGS } from './test-support.mjs';

await main(() => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-debian-'));
  const work = join(folder, 'work');
  try {
    const chroot = new Chroot(join(folder, 'root'));
    chroot.create('chroot');
    const build = (version) =>
      programs.map((program) => buildPackage(program, { version, work, target: folder, compression: 'none' }));
    const [older, newer] = [build('1.0.0.1'), build('1.0.0.2')];
    for (const file of newer) changeDefaults(file, work);
    const configuration = () => services.map(({ service }) => chroot.read(`etc/wrkz/${service}.ini`));
    const checkAll = () => services.forEach((program) => checkInstalled(chroot, program));

    chroot.install(older);
    checkAll();
    for (const program of services) runUnit(chroot, program);
    assert.match(chroot.run('wrkz-miner --version'), /^wrkz-miner 1\./);
    for (const { name } of programs)
      assert.match(chroot.read(`usr/share/doc/${name}/THIRD-PARTY-LICENSES.txt`), /^node 24\./m);
    const configured = configuration();

    chroot.install(newer);
    assert.match(chroot.run('dpkg-query -W wrkz-daemon'), /1\.0\.0\.2/);
    assert.deepEqual(configuration(), configured);
    for (const { service } of services)
      assert.match(chroot.read(`etc/wrkz/${service}.ini.dpkg-dist`), /of a newer version/);
    checkAll();
    // dpkg runs the scripts again after an interruption.
    for (const { name } of services)
      for (const call of ['postinst configure 1.0.0.1', 'prerm upgrade 1.0.0.3', 'postrm upgrade 1.0.0.3'])
        for (let i = 0; i < 2; i++) chroot.run(`/var/lib/dpkg/info/${name}.${call}`);
    checkAll();

    const names = programs.map(({ name }) => name).join(' ');
    const data = () =>
      services.map(({ service }) =>
        chroot.run(`cd /var/lib/wrkz/${service} && find . -printf '%p %u %m %s\\n' | sort`),
      );
    const before = data();
    chroot.run(`dpkg --remove ${names}`);
    for (const { name, service } of services) {
      assert.ok(!chroot.has(`usr/bin/${name}`) && !chroot.has(`lib/systemd/system/${name}.service`));
      assert.ok(chroot.has(`etc/wrkz/${service}.ini`), 'a removal deletes the configuration');
    }
    assert.deepEqual(data(), before);
    chroot.install(newer);
    runUnit(chroot, services[0]);
    chroot.run(`dpkg --purge ${names}`);
    assert.ok(!chroot.has('etc/wrkz'), 'a purge does not delete the configuration');
    assert.deepEqual(data().slice(1), before.slice(1));
    assert.ok(chroot.has('var/lib/wrkz/daemon/devnet'), 'a purge deletes the chain');
    process.stdout.write(`${programs.length} packages installed, run, upgraded, removed and purged\n`);
    for (const file of newer)
      process.stdout.write(`${basename(file)} ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Changes the configuration in a package, as a later version does. */
function changeDefaults(file, work) {
  const root = join(work, 'changed');
  rmSync(root, { recursive: true, force: true });
  command('dpkg-deb', ['--raw-extract', file, root]);
  for (const { name, service } of services)
    if (basename(file).startsWith(`${name}_`))
      appendFileSync(join(root, `etc/wrkz/${service}.ini`), '# of a newer version\n');
  command('dpkg-deb', ['--build', '--root-owner-group', '-Znone', root, file]);
}

function checkInstalled(chroot, { name, service }) {
  const stat = (path) => chroot.run(`stat -c '%U:%G %a' ${path}`).trim();
  assert.equal(stat(`/etc/wrkz/${service}.ini`), `root:${name} 640`);
  assert.equal(stat(`/var/lib/wrkz/${service}`), `${name}:${name} 750`);
  assert.equal(stat(`/usr/bin/${name}`), 'root:root 755');
  assert.ok(!chroot.has(`etc/systemd/system/multi-user.target.wants/${name}.service`), `${name} is enabled`);
}

/** Runs the ExecStart of a unit as its user until it listens, then sends SIGTERM as systemd does. */
function runUnit(chroot, { name, service }) {
  const unit = chroot.read(`lib/systemd/system/${name}.service`);
  const value = (key) => new RegExp(`^${key}=(.+)$`, 'm').exec(unit)[1];
  const config = `etc/wrkz/${service}.ini`;
  if (!chroot.read(config).includes('devnet')) appendFileSync(join(chroot.folder, config), SETTINGS[service]);
  const [start, user, cache] = [value('ExecStart'), value('User'), `/var/cache/${value('CacheDirectory')}`];
  chroot.run(`install -d -m 0700 -o ${name} -g ${name} ${cache}`);
  const enter = `cd ${value('WorkingDirectory')}; umask ${value('UMask')}; export CACHE_DIRECTORY=${cache}`;
  if (service === 'wallet-rpc' && !chroot.has('var/lib/wrkz/wallet-rpc/wallet.container'))
    chroot.run(`${enter}; ${start} --generate-container`, user);
  // State 0A of /proc/net/tcp: a listening socket.
  const line = `${enter}; ${start} & pid=$!
    for i in $(seq 600); do grep -q ' 0A .* '"$(id -u)"' ' /proc/net/tcp && break; kill -0 $pid || break; sleep 0.1; done
    grep -q ' 0A ' /proc/net/tcp || { kill $pid; exit 99; }
    kill -TERM $pid; wait $pid`;
  chroot.run(line, user);
  // The other services load their native modules on demand.
  if (service === 'daemon') assert.equal(chroot.run(`stat -c '%U %a' ${cache}/native`).trim(), `${name} 700`);
}
