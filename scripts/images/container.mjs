import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { command } from '../executables/materials.mjs';
import { Failure } from '../lib/run.mjs';

/** What `init: true` puts before a program: it hands SIGTERM on. When the program has ended, it says so and stays until its input ends. */
const INIT = `trap 'kill -TERM "$child"' TERM; "$@" & child=$!
wait "$child"; code=$?; while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
echo "[ended $code]" >&2; read -r rest; exit "$code"`;

const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const quoted = (word) => `'${String(word).replaceAll("'", `'\\''`)}'`;

/** One container: namespaces, a file system of its own that is read only, no rights, one program. */
export class Container {
  /**
   * @param name its name in the network
   * @param image what docker/Dockerfile says of it
   * @param place `{ address, network, hosts, folder }`
   * @param facts what the compose file says: `{ command, entrypoint, environment, mounts: [from, to, readOnly][], tmpfs: string[], readOnly }`
   */
  constructor(name, image, place, facts) {
    Object.assign(this, { name, image, place, facts });
    this.text = '';
  }

  /** Resolves when the program has begun; `ended` then resolves to its exit code. */
  async start() {
    this.place.network.join(this.name, this.place.address);
    const mountPoint = join(this.place.folder, `at-${this.name}`);
    mkdirSync(mountPoint, { recursive: true });
    const inside = ['chroot', mountPoint, ...this.#become(), 'sh', '-c', INIT, 'init', ...this.#words()];
    const script = `${this.#mounts(mountPoint).join('\n')}\nexec ${inside.map(quoted).join(' ')}`;
    const spaces = ['unshare', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', 'sh', '-ec', script];
    this.child = spawn('ip', ['netns', 'exec', this.name, ...spaces], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.ended = new Promise((resolve) => {
      for (const stream of [this.child.stdout, this.child.stderr])
        stream.on('data', (chunk) => {
          this.text += chunk;
          const end = /\[ended (\d+)\]/.exec(this.text);
          if (end) resolve((this.code = Number(end[1])));
        });
      this.child.on('close', (code, signal) => resolve((this.code ??= code ?? signal)));
    });
    for (let i = 0; i < 500 && this.code === undefined; i++) {
      if (this.#program() !== undefined) return;
      await pause(20);
    }
    if (this.code === undefined) throw new Failure(`${this.name}: did not begin:\n${this.text}`);
  }

  /** One run of its health check: that of the compose file, else that of its image. */
  health() {
    const words = this.facts.health ?? this.image.health;
    if (words === undefined) throw new Failure(`${this.name} has no health check`);
    return this.run(words);
  }

  /** Runs a command beside the program, as the container's user. */
  run(words, options = {}) {
    const enter = ['--target', String(this.#init()), '--net', '--mount', '--pid', '--root', '--wd'];
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, ...this.#become(), ...words], {
      encoding: 'utf8',
      timeout: 60_000,
      ...options,
    });
    return { status, output: `${stdout}${stderr}`.trim() };
  }

  /** To the program alone, as from inside. */
  signal(name) {
    process.kill(this.#program(), name);
  }

  /** As `docker stop`: SIGTERM to the first process. @returns the exit code */
  async stop() {
    if (this.code === undefined) process.kill(this.#init(), 'SIGTERM');
    return this.ended;
  }

  /** Ends what is left: the first process of the namespace. */
  remove() {
    this.child.stdin.end();
    this.child.kill('SIGKILL');
    this.place.network.leave(this.name);
  }

  /** Whether its user can make a file in a folder. */
  canWrite(path) {
    return this.run(['sh', '-c', `echo x > ${quoted(path)}/probe && rm ${quoted(path)}/probe`]).status === 0;
  }

  #words() {
    const { entrypoint, cmd } = this.image;
    if (this.facts.entrypoint) return [...this.facts.entrypoint, ...(this.facts.command ?? [])];
    return [...entrypoint, ...(this.facts.command ?? cmd)];
  }

  #become() {
    const user = this.facts.user ?? this.image.user;
    const who = user ? [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];
    const environment = [...(this.image.env ?? [PATH]), ...(this.facts.environment ?? []), 'HOME=/'];
    const place = this.image.workingDir ?? '/';
    return [
      'setpriv',
      ...who,
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--no-new-privs',
      'env',
      '-i',
      '-C',
      place,
      ...environment,
    ];
  }

  #mounts(at) {
    const { root, volumes = [] } = this.image;
    const { mounts = [], tmpfs = [], readOnly } = this.facts;
    const lines = [
      `mount --make-rprivate /`,
      `mount --bind ${quoted(root)} ${quoted(at)}`,
      `mount -t proc proc ${quoted(join(at, 'proc'))}`,
      `mount -t tmpfs -o mode=755,size=1m tmpfs ${quoted(join(at, 'dev'))}`,
      `mkdir ${quoted(join(at, 'dev/shm'))} && mount -t tmpfs -o mode=1777,size=64m tmpfs ${quoted(join(at, 'dev/shm'))}`,
      ...DEVICES.map(
        (name) => `touch ${quoted(join(at, 'dev', name))}; mount --bind /dev/${name} ${quoted(join(at, 'dev', name))}`,
      ),
      `ln -s /proc/self/fd ${quoted(join(at, 'dev/fd'))}`,
      `mount -t tmpfs -o mode=755,size=1m tmpfs ${quoted(join(at, 'run'))}`,
      `mount --bind ${quoted(this.place.hosts)} ${quoted(join(at, 'etc/hosts'))}`,
    ];
    for (const entry of tmpfs) {
      const [path, options = ''] = entry.split(':');
      lines.push(`mount -t tmpfs -o ${options || 'mode=1777'} tmpfs ${quoted(join(at, path))}`);
    }
    for (const [from, to, isReadOnly] of mounts) {
      const target = quoted(join(at, to));
      // a place that the image lacks is made, as an engine does
      if (to.startsWith('/run/')) lines.push(`mkdir -p "$(dirname ${target})"; touch ${target}`);
      else if (!existsSync(join(root, to))) makePlace(join(root, to), lstatSync(from).isDirectory());
      lines.push(`mount --bind ${quoted(from)} ${target}`);
      if (isReadOnly) lines.push(`mount -o remount,ro,bind ${target}`);
    }
    const mounted = new Set(mounts.map(([, to]) => to));
    // an image's volume that nobody names is a new one
    for (const path of volumes.filter((one) => !mounted.has(one))) {
      const fresh = join(this.place.folder, `volume-${this.name}-${path.replaceAll('/', '_')}`);
      if (!existsSync(fresh)) command('cp', ['-a', join(root, path), fresh]);
      lines.push(`mount --bind ${quoted(fresh)} ${quoted(join(at, path))}`);
    }
    if (readOnly) lines.push(`mount -o remount,ro,bind ${quoted(at)}`);
    return lines;
  }

  /** Process 1 of the container, by its number here. */
  #init() {
    // ip becomes unshare, whose only child is the namespace's first process
    const id = childOf(this.child.pid);
    if (id === undefined) throw new Failure(`${this.name} has ended:\n${this.text}`);
    return id;
  }

  #program() {
    const init = childOf(this.child.pid);
    if (init === undefined) return undefined;
    const words = readFileSync(`/proc/${init}/cmdline`, 'latin1').split('\0');
    return words.includes('init') && words.includes(INIT) ? childOf(init) : undefined;
  }
}

function makePlace(path, isFolder) {
  if (isFolder) return void mkdirSync(path, { recursive: true });
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '');
}

function childOf(id) {
  try {
    const text = readFileSync(`/proc/${id}/task/${id}/children`, 'latin1').trim();
    return text === '' ? undefined : Number(text.split(' ')[0]);
  } catch {
    return undefined;
  }
}
