import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { command } from '../executables/materials.mjs';
import { Failure } from '../lib/run.mjs';
import { Container } from './container.mjs';

/** Longest wait for a container to be well or to end, milliseconds. */
const PATIENCE = 180_000;

/** What is followed, what every container gets anyway (no rights, one first process), and what does not matter to a test. */
const FOLLOWED = 'build image profiles command entrypoint user environment depends_on networks volumes secrets tmpfs';
const KNOWN = new Set(
  `${FOLLOWED} healthcheck read_only init cap_drop security_opt ports expose restart stop_grace_period logging`.split(
    ' ',
  ),
);

/** What a compose file describes, run: as much of the specification as the files of docker/ use; anything else is refused. */
export class Project {
  running = new Map();

  /**
   * @param file the compose file
   * @param world `{ images, network, folder, environment, profiles, without, standIns }`; `standIns` are the images that no Dockerfile makes
   */
  constructor(file, world) {
    Object.assign(this, world);
    this.base = dirname(file);
    const text = readFileSync(file, 'utf8').replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, other) => {
      return this.environment?.[name] ?? other;
    });
    this.file = parse(text, { merge: true });
    const profiles = new Set(world.profiles ?? []);
    this.services = Object.entries(this.file.services).filter(
      ([name, { profiles: own }]) =>
        !world.without?.includes(name) && (own === undefined || own.some((one) => profiles.has(one))),
    );
    for (const [name, facts] of this.services) {
      const unknown = Object.keys(facts).find((key) => !KNOWN.has(key));
      if (unknown !== undefined) throw new Failure(`${name}: ${unknown} is not followed here`);
    }
    let next = 50;
    this.addresses = new Map(
      this.services.map(([name, { networks }]) => [
        name,
        networks?.default?.ipv4_address ?? `${this.network.prefix}.${next++}`,
      ]),
    );
    this.hosts = join(this.folder, 'hosts');
    const lines = [...this.addresses].map(([name, address]) => `${address} ${name}`);
    writeFileSync(this.hosts, ['127.0.0.1 localhost', ...lines, ''].join('\n'));
    chmodSync(this.hosts, 0o644);
  }

  /** Starts every service when what it depends on is as it wants it. */
  async up() {
    const waiting = new Map(this.services);
    while (waiting.size > 0) {
      const ready = [...waiting].filter(([, { depends_on: wanted }]) =>
        namesOf(wanted).every((name) => !waiting.has(name)),
      );
      if (ready.length === 0) throw new Failure(`nothing can start of ${[...waiting.keys()].join(', ')}`);
      for (const [name, facts] of ready) {
        for (const [other, condition] of conditionsOf(facts.depends_on)) await this.#await(other, condition);
        await this.start(name);
        waiting.delete(name);
      }
    }
  }

  /** As `compose run`: the service once, with other words. @throws Failure unless it ends with 0 */
  async runOnce(name, words) {
    const container = await this.start(name, words);
    await this.#await(name, 'service_completed_successfully');
    container.remove();
    this.running.delete(name);
  }

  async start(name, words) {
    const facts = this.file.services[name];
    const image = facts.build ? this.images.get(facts.build.target) : this.standIns?.[name];
    if (image === undefined) throw new Failure(`there is no image of ${name}`);
    const place = { address: this.addresses.get(name), network: this.network, hosts: this.hosts, folder: this.folder };
    const container = new Container(name, image, place, {
      command: words ?? facts.command,
      entrypoint: facts.entrypoint,
      user: facts.user,
      health: facts.healthcheck?.test.slice(1),
      tmpfs: facts.tmpfs,
      readOnly: facts.read_only,
      mounts: [...(facts.volumes ?? []).map((volume) => this.#mount(volume, image)), ...this.#secrets(facts.secrets)],
      environment: Object.entries(facts.environment ?? {}).map(([key, value]) => `${key}=${value}`),
    });
    this.running.set(name, container);
    await container.start();
    return container;
  }

  /** Waits until its health check passes. @returns milliseconds */
  async healthy(name) {
    const container = this.running.get(name);
    const begun = performance.now();
    let last;
    while (performance.now() - begun < PATIENCE && container.code === undefined) {
      last = container.health();
      if (last.status === 0) return performance.now() - begun;
      await pause(200);
    }
    throw new Failure(`${name} does not get well: ${last?.output}\n${container.text}`);
  }

  /** Stops all, the last first. @throws Failure unless each ends with 0 */
  async down(codes = {}) {
    for (const [name, container] of [...this.running].reverse()) {
      const code = await within(PATIENCE, container.stop(), () => `${name} does not end:\n${container.text}`);
      container.remove();
      this.running.delete(name);
      if (code !== (codes[name] ?? 0)) throw new Failure(`${name} ended with ${code}:\n${container.text}`);
    }
  }

  kill() {
    for (const container of this.running.values()) container.child?.kill('SIGKILL');
  }

  url(name, port) {
    return `http://${this.addresses.get(name)}:${port}`;
  }

  async #await(name, condition) {
    if (condition === 'service_healthy') return void (await this.healthy(name));
    if (condition === 'service_started') return;
    if (condition !== 'service_completed_successfully') throw new Failure(`unknown condition ${condition}`);
    const container = this.running.get(name);
    const code = await within(PATIENCE, container.ended, () => `${name} does not end:\n${container.text}`);
    if (code !== 0) throw new Failure(`${name} ended with ${code}:\n${container.text}`);
  }

  #mount(volume, image) {
    const [from, to, mode] = volume.split(':');
    if (from.startsWith('.')) return [resolve(this.base, from), to, mode === 'ro'];
    if (!(from in this.file.volumes)) throw new Failure(`the volume ${from} is not declared`);
    const folder = join(this.folder, `volume-${from}`);
    // a new volume begins as what the image has in its place
    if (!existsSync(folder)) {
      if (existsSync(join(image.root, to))) command('cp', ['-a', join(image.root, to), folder]);
      else command('mkdir', [folder]);
      if (image.owner) command('chown', [image.owner, folder]);
    }
    return [folder, to, false];
  }

  #secrets(names = []) {
    return names.map((name) => [resolve(this.base, this.file.secrets[name].file), `/run/secrets/${name}`, true]);
  }
}

const namesOf = (wanted = []) => (Array.isArray(wanted) ? wanted : Object.keys(wanted));
const conditionsOf = (wanted = []) =>
  Array.isArray(wanted)
    ? wanted.map((name) => [name, 'service_started'])
    : Object.entries(wanted).map(([name, { condition }]) => [name, condition]);

function within(limit, promise, text) {
  const late = pause(limit, undefined, { ref: false }).then(() => {
    throw new Failure(text());
  });
  return Promise.race([promise, late]);
}
