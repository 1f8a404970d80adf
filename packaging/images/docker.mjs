import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyWorkspace } from '../../scripts/lib/copy.mjs';
import { npm } from '../../scripts/lib/nodes.mjs';
import { command, Failure, run } from '../../scripts/lib/run.mjs';
import { until } from '../test-support.mjs';
import { baseArchive, CERTIFICATES } from '../base-systems.mjs';

/** The targets of docker/Dockerfile that are images. */
export const TARGETS = ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'miner'];

/** A Docker engine with its own data folder, socket and containers. */
export class Docker {
  constructor(folder) {
    this.folder = folder;
    this.env = { ...process.env, DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`, DOCKER_BUILDKIT: '0' };
  }

  /** Starts `dockerd` in the network namespace of this process. @throws Failure if it does not come up */
  async start() {
    if (process.getuid() !== 0) throw new Failure('needs root: it starts a Docker engine');
    const { folder } = this;
    const paths = { 'data-root': 'data', 'exec-root': 'exec', pidfile: 'docker.pid' };
    const args = Object.entries(paths).map(([option, name]) => `--${option}=${join(folder, name)}`);
    this.engine = spawn('dockerd', [...args, `--host=${this.env.DOCKER_HOST}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [this.engine.stdout, this.engine.stderr]) stream.on('data', (chunk) => (text += chunk));
    this.engine.on('error', (error) => (text += error.message));
    const isUp = () => spawnSync('docker', ['info'], { env: this.env }).status === 0;
    const hasEnded = () => this.engine.exitCode !== null || this.engine.pid === undefined;
    await until('dockerd is up (packages: docker.io, docker-compose)', isUp, () => hasEnded() && text.slice(-2_000));
  }

  async stop() {
    if (this.engine?.exitCode !== null) return;
    const ended = new Promise((resolve) => this.engine.once('exit', resolve));
    this.engine.kill('SIGTERM');
    await ended;
    // dockerd leaves the mount of its network namespace.
    spawnSync('umount', ['-l', join(this.folder, 'exec/netns/default')]);
  }

  /** Runs `docker` and returns its output. @throws Failure */
  docker(...args) {
    return command('docker', args, { env: this.env }).trim();
  }

  /** Imports bases made with debootstrap and builds every target as `wrkz-<target>`. */
  async build() {
    const bases = { BUILD_IMAGE: this.importBase('build', this.npmEnvironment()), RUN_IMAGE: this.importBase('run') };
    const buildArgs = Object.entries(bases).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    // A copy, so that every target is built from the same files and the compiling stage is built once.
    const context = join(this.folder, 'context');
    copyWorkspace(context, (name) => !name.startsWith('docs/'));
    for (const target of TARGETS) {
      const args = ['build', '--quiet', '--network=host', ...buildArgs, '--target', target, '--tag', `wrkz-${target}`];
      args.push('--file', join(context, 'docker/Dockerfile'), context);
      await run('docker', args, { env: this.env, failure: `${target}: the image could not be built` });
    }
  }

  importBase(name, changes = []) {
    const image = `wrkz-base-${name}`;
    this.docker('import', ...changes.flatMap((change) => ['--change', change]), baseArchive(name), image);
    return image;
  }

  /** npm's configuration of this machine for the build stage, its certificates included. */
  npmEnvironment() {
    const environment = ['ENV npm_config_nodedir=/usr/local'];
    environment.push(`ENV npm_config_registry=${npm(['config', 'get', 'registry']).trim()}`);
    if (process.env.NODE_EXTRA_CA_CERTS === undefined) return environment;
    return [...environment, `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, `ENV npm_config_cafile=${CERTIFICATES}`];
  }
}

/** A compose project on an engine, by Debian's `docker-compose`. */
export class Project {
  /** @param images image names by service, instead of building or pulling */
  constructor(docker, name, file, { images, environment = {}, profiles = [] }) {
    this.engine = docker;
    this.name = name;
    const override = join(docker.folder, `${name}.json`);
    const services = Object.fromEntries(Object.entries(images).map(([service, image]) => [service, { image }]));
    writeFileSync(override, JSON.stringify({ version: '3.8', services }));
    this.options = ['-p', name, '-f', file, '-f', override, ...profiles.flatMap((profile) => ['--profile', profile])];
    this.env = { ...docker.env, ...environment };
  }

  compose(...args) {
    return command('docker-compose', [...this.options, ...args], { env: this.env });
  }

  /** The id of a service's container. */
  container(service) {
    return this.compose('ps', '-q', service).trim();
  }

  inspect(service) {
    return JSON.parse(this.engine.docker('inspect', this.container(service)))[0];
  }

  /** Runs a command in a service's container. @returns {{status: number, output: string}} */
  exec(service, ...args) {
    const options = { env: this.engine.env, encoding: 'utf8' };
    const { status, stdout, stderr } = spawnSync('docker', ['exec', this.container(service), ...args], options);
    return { status, output: stdout + stderr };
  }

  /** Sends a signal to the program of a container, not to its init process. */
  signal(service, name) {
    const lines = this.engine.docker('top', this.container(service), '-eo', 'pid,args').split('\n').slice(1);
    const program = lines.find((line) => /^\s*\d+\s+node /.test(line));
    process.kill(Number.parseInt(program, 10), name);
  }

  /** The URL of a port of a container. */
  url(service, port) {
    const [network] = Object.values(this.inspect(service).NetworkSettings.Networks);
    return `http://${network.IPAddress}:${port}`;
  }
}
