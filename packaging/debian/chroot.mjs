import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { command } from '../executables/materials.mjs';
import { Failure } from '../../scripts/lib/run.mjs';

/** A Debian 12 of its own below `folder`, without a network. Needs debootstrap, unshare and the rights of root. */
export class Chroot {
  constructor(folder) {
    this.folder = folder;
  }

  /** Makes it with these packages from a mirror, or from an archive of an earlier one. */
  make(archive, packages = ['adduser', 'libstdc++6'], mirror = 'http://deb.debian.org/debian') {
    mkdirSync(this.folder, { recursive: true });
    if (existsSync(archive)) return void command('tar', ['-xf', archive, '-C', this.folder]);
    const what = ['--variant=minbase', `--include=${packages.join(',')}`, 'bookworm', this.folder, mirror];
    command('debootstrap', what, { maxBuffer: 2 ** 28 });
    command('tar', ['-cf', archive, '-C', this.folder, '.']);
  }

  /** What a shell line prints there. With `user` it runs as that one. @throws Failure when it does not end with 0 */
  run(line, user) {
    const { status, output } = this.try(line, user);
    if (status !== 0) throw new Failure(`in the chroot, ${line}: ended with ${status}\n${output}`);
    return output;
  }

  try(line, user) {
    const inside = user === undefined ? ['sh', '-c', line] : ['setpriv', ...becoming(user), 'sh', '-c', line];
    const script = `ip link set lo up; mount -t proc proc "$0/proc" && exec chroot "$0" "$@"`;
    const args = ['--net', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, this.folder, 'env', '-i'];
    const env = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];
    const { status, signal, stdout, stderr } = spawnSync('unshare', [...args, ...env, ...inside], {
      encoding: 'utf8',
      timeout: 180_000,
    });
    return { status: status ?? signal, output: `${stdout}${stderr}` };
  }

  /** Installs or upgrades from files of this machine. */
  install(files) {
    for (const file of files) copyFileSync(file, join(this.folder, 'tmp', basename(file)));
    return this.run(`dpkg --force-confold -i ${files.map((file) => `/tmp/${basename(file)}`).join(' ')}`);
  }

  read(path) {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  has(path) {
    return existsSync(join(this.folder, path));
  }
}

const becoming = (user) => [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs'];
