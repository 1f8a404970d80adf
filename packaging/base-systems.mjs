import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeOf, npm } from '../scripts/lib/nodes.mjs';
import { command, Failure } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

const HOME = join(top, '.bootstrap/systems');
const NODE_MAJOR = 24;
/** Fetches the package manager that package.json names. */
const NPM = 'npm@11.6.2';

/** Path in the build base of the CA certificates of this machine (NODE_EXTRA_CA_CERTS). */
export const CERTIFICATES = '/etc/ssl/certs/local.crt';

/**
 * Systems of Debian 12, made with debootstrap instead of pulled from a registry: the minimal set and these packages. Bases of
 * images, and systems in which the Debian packages are tested.
 */
const BASES = {
  run: { packages: ['libstdc++6'] },
  build: { packages: ['python3', 'make', 'g++', 'ca-certificates'], withNode: true },
  redis: { packages: ['redis-server'], volume: '/data', owner: 'redis' },
  prometheus: { packages: ['prometheus'], volume: '/prometheus', owner: 'nobody' },
  chroot: { packages: ['adduser', 'libstdc++6'] },
  systemd: { packages: ['systemd', 'systemd-sysv', 'dbus', 'adduser', 'libstdc++6', 'curl'] },
};

/**
 * The archive of a base's root file system; made with debootstrap once and stored in .bootstrap/systems.
 * @param {keyof BASES} name
 */
export function baseArchive(name) {
  const archive = join(HOME, `${name}.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(HOME, { recursive: true });
  process.stderr.write(`[packaging] debootstrap with ${BASES[name].packages.join(', ')}\n`);
  const work = mkdtempSync(join(tmpdir(), 'wrkz-base-'));
  try {
    const root = join(work, 'root');
    const { packages, withNode, volume, owner } = BASES[name];
    debootstrap(packages, root);
    if (withNode) {
      putNode(root);
      putNpm(root, work);
    }
    const certificates = process.env.NODE_EXTRA_CA_CERTS;
    if (withNode && certificates) cpSync(certificates, join(root, CERTIFICATES));
    if (volume) command('chroot', [root, 'install', '-d', '-o', owner, volume]);
    command('tar', ['-cf', `${archive}.part`, '-C', root, '.']);
    renameSync(`${archive}.part`, archive);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return archive;
}

function debootstrap(packages, root) {
  command('debootstrap', ['--variant=minbase', `--include=${packages.join(',')}`, 'bookworm', root, aptMirror()]);
  const unused = [
    'var/cache/apt/archives',
    'var/lib/apt/lists',
    ...['doc', 'locale', 'man', 'info'].map((name) => `usr/share/${name}`),
  ];
  for (const folder of unused) rmSync(join(root, folder), { recursive: true, force: true });
}

/** The Debian mirror that apt uses on this machine. */
function aptMirror() {
  const mirror = command('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']).split('\n')[0];
  if (!mirror) throw new Failure('apt has no package lists here: run apt-get update');
  return mirror;
}

function putNode(root) {
  const { program } = nodeOf(NODE_MAJOR);
  const home = dirname(dirname(program));
  for (const part of ['bin', 'include']) cpSync(join(home, part), join(root, 'usr/local', part), { recursive: true });
}

function putNpm(root, work) {
  const packed = npm(['pack', NPM, '--silent', '--pack-destination', work]);
  const folder = join(root, 'usr/local/lib/node_modules/npm');
  mkdirSync(folder, { recursive: true });
  command('tar', ['-xzf', join(work, packed.trim().split('\n').at(-1)), '-C', folder, '--strip-components=1']);
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
}
