import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { command, Failure } from '../../scripts/lib/run.mjs';
import { baseArchive } from '../base-systems.mjs';
import { until } from '../test-support.mjs';

const TIMEOUT_MS = 180_000;
const ENVIRONMENT = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];

/** A Debian 12 in a folder. Needs root and debootstrap. */
class DebianSystem {
  constructor(folder) {
    this.folder = folder;
  }

  /** Creates the system from a base. */
  create(base) {
    mkdirSync(this.folder, { recursive: true });
    command('tar', ['-xf', baseArchive(base), '-C', this.folder]);
  }

  /** Runs a shell line inside. @returns its output @throws Failure unless it exits with 0 */
  run(line, user) {
    const { status, output } = this.try(line, user);
    if (status !== 0) throw new Failure(`${line}: ended with ${status}\n${output}`);
    return output;
  }

  /** Copies packages into the system and installs or upgrades them. */
  install(files) {
    for (const file of files) copyFileSync(file, join(this.folder, 'var/tmp', basename(file)));
    return this.run(`dpkg --force-confold -i ${files.map((file) => `/var/tmp/${basename(file)}`).join(' ')}`);
  }

  spawn(program, args) {
    const { status, signal, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
    return { status: status ?? signal, output: `${stdout}${stderr}` };
  }
}

/** A system without init and without a network: each line runs in namespaces of its own. Needs unshare. */
export class Chroot extends DebianSystem {
  /** Runs a shell line, as root or as `user`. */
  try(line, user) {
    const identity = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs'];
    const shell = [...(user === undefined ? [] : ['setpriv', ...identity]), 'sh', '-c', line];
    const script = 'ip link set lo up; mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
    const options = ['--net', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, this.folder];
    return this.spawn('unshare', [...options, ...ENVIRONMENT, ...shell]);
  }

  read(path) {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  has(path) {
    return existsSync(join(this.folder, path));
  }
}

/** A system that systemd runs, in a container without a network. Needs systemd-nspawn. */
export class Container extends DebianSystem {
  output = '';

  async boot() {
    const options = ['--boot', '--register=no', '--keep-unit', '--private-network', '--machine=wrkz'];
    // The host may mount control groups of version 1.
    const isUnified = readFileSync('/proc/mounts', 'utf8').includes(' /sys/fs/cgroup cgroup2 ');
    this.child = spawn('systemd-nspawn', ['--directory', this.folder, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: isUnified ? '1' : '0' },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (chunk) => (this.output += chunk));
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    await this.until('the system is up', () => /running|degraded/.test(this.try('systemctl is-system-running').output));
  }

  try(line) {
    const init = this.initProcess();
    if (init === undefined) return { status: undefined, output: this.output };
    const namespaces = ['--target', init, '--mount', '--pid', '--net', '--uts', '--ipc', '--root', '--wd'];
    return this.spawn('nsenter', [...namespaces, ...ENVIRONMENT, 'sh', '-c', line]);
  }

  /** The process id of the system's init: the first child of systemd-nspawn. */
  initProcess() {
    const { pid } = this.child;
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')[0] || undefined;
    } catch {
      return undefined;
    }
  }

  /** @throws Failure with the end of the journal, or the output of systemd-nspawn if it has ended */
  async until(state, isReached) {
    try {
      await until(state, isReached, () => this.child.exitCode !== null && 'systemd-nspawn has ended');
    } catch (error) {
      throw new Failure(`${error.message}\n${this.try('journalctl --no-pager -n 60').output}`);
    }
  }

  async halt() {
    if (this.child?.exitCode !== null) return;
    this.try('systemctl poweroff --no-block');
    const isDown = await Promise.race([this.ended.then(() => true), pause(30_000, false, { ref: false })]);
    if (!isDown) this.child.kill('SIGKILL');
  }
}
