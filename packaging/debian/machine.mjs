import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../scripts/lib/run.mjs';

/** Longest wait for the system to be up or down, milliseconds. */
const PATIENCE = 120_000;

/** A Debian that systemd runs, in namespaces and without a network. Needs systemd-nspawn and the rights of root. */
export class Machine {
  text = '';

  constructor(folder) {
    this.folder = folder;
  }

  async boot() {
    const options = ['--boot', '--register=no', '--keep-unit', '--private-network', '--machine=wrkz'];
    this.child = spawn('systemd-nspawn', ['--directory', this.folder, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // the way in which this machine keeps its control groups may be the older one
      env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: isUnified() ? '1' : '0' },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (chunk) => (this.text += chunk));
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    await this.until('it is up', () => /running|degraded/.test(this.try('systemctl is-system-running').output));
  }

  /** What a shell line prints there, as root. @throws Failure when it does not end with 0 */
  run(line) {
    const { status, output } = this.try(line);
    if (status !== 0) throw new Failure(`in the machine, ${line}: ended with ${status}\n${output}`);
    return output;
  }

  try(line) {
    const first = firstChild(this.child.pid);
    if (first === undefined) return { status: undefined, output: this.text };
    const enter = ['--target', first, '--mount', '--pid', '--net', '--uts', '--ipc', '--root', '--wd'];
    const inside = [
      'env',
      '-i',
      'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
      'DEBIAN_FRONTEND=noninteractive',
      'sh',
      '-c',
      line,
    ];
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, ...inside], {
      encoding: 'utf8',
      timeout: PATIENCE,
    });
    return { status, output: `${stdout}${stderr}` };
  }

  async until(what, isSo) {
    for (let waited = 0; waited < PATIENCE; waited += 200) {
      if (isSo()) return;
      if (this.child.exitCode !== null) throw new Failure(`the machine has ended:\n${this.text}`);
      await pause(200);
    }
    throw new Failure(`waited in vain: ${what}\n${this.try('journalctl --no-pager -n 60').output}`);
  }

  async halt() {
    if (this.child.exitCode === null) this.try('systemctl poweroff --no-block');
    const isDown = await Promise.race([this.ended.then(() => true), pause(30_000, false, { ref: false })]);
    if (!isDown) this.child.kill('SIGKILL');
  }
}

function isUnified() {
  return readFileSync('/proc/mounts', 'utf8').includes(' /sys/fs/cgroup cgroup2 ');
}

function firstChild(id) {
  try {
    return readFileSync(`/proc/${id}/task/${id}/children`, 'latin1').trim().split(' ')[0] || undefined;
  } catch {
    return undefined;
  }
}
