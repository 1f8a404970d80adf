import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../executables/materials.mjs';
import { top } from '../../scripts/lib/workspace.mjs';

const SOURCE = join(top, 'packaging');
/** Who answers for the packages, by the variables that Debian's own tools read. */
const maintainer = `${process.env.DEBFULLNAME ?? 'WrkzCoin'} <${process.env.DEBEMAIL ?? 'root@localhost'}>`;
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/** The packages: `name`, which is the executable's too, and the service inside, if it is one. */
export const packages = [
  { name: 'wrkz-daemon', service: 'daemon', about: 'WrkzCoin node: checks, keeps and serves the chain' },
  { name: 'wrkz-wallet-api', service: 'wallet-api', about: 'WrkzCoin wallet over HTTP' },
  { name: 'wrkz-wallet-rpc', service: 'wallet-rpc', about: 'WrkzCoin wallet over JSON-RPC' },
  { name: 'wrkz-pow-helper', service: 'pow-helper', about: 'computes the proof of work of WrkzCoin transactions' },
  { name: 'wrkz-proposals', service: 'proposals', about: 'lists the funding proposals of WrkzCoin' },
  { name: 'wrkz-miner', about: 'mines WrkzCoin with a node or over stratum' },
];

/**
 * Makes one package with dpkg-deb.
 * @param {{name: string, service?: string, about: string}} what
 * @param {{release: string, workshop: string, target: string, version: string, compression?: string}} where
 *   executables, scratch, packages
 * @returns {string} the path of the .deb
 */
export function buildPackage({ name, service, about }, { release, workshop, target, version, compression = 'xz' }) {
  const root = join(workshop, name);
  rmSync(root, { recursive: true, force: true });
  put(join(release, name), join(root, 'usr/bin', name), 0o755);
  const documents = join(root, 'usr/share/doc', name);
  put(join(top, 'LICENSE'), join(documents, 'copyright'), 0o644);
  put(join(release, 'THIRD-PARTY-LICENSES.txt'), join(documents, 'THIRD-PARTY-LICENSES.txt'), 0o644);
  const fields = [`Package: ${name}`, `Version: ${version}`, `Architecture: ${ARCHITECTURES[process.arch]}`];
  fields.push(
    `Maintainer: ${maintainer}`,
    'Section: net',
    'Priority: optional',
    'Depends: libc6 (>= 2.34), libstdc++6 (>= 12)',
  );
  if (service) {
    putService(root, name, service);
    fields[fields.length - 1] += ', adduser';
  }
  writeFile(join(root, 'DEBIAN/control'), `${fields.join('\n')}\nDescription: ${about}\n`, 0o644);
  mkdirSync(target, { recursive: true });
  const file = join(target, `${name}_${version}_${ARCHITECTURES[process.arch]}.deb`);
  command('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, root, file]);
  rmSync(root, { recursive: true });
  return file;
}

function putService(root, name, service) {
  const [unit, config] = [`lib/systemd/system/${name}.service`, `etc/wrkz/${service}.ini`];
  put(join(SOURCE, 'systemd', `${name}.service`), join(root, unit), 0o644);
  // the script that runs after the unpacking gives it to the group of the service
  put(join(SOURCE, 'config', `${service}.ini`), join(root, config), 0o640);
  writeFile(join(root, 'DEBIAN/conffiles'), `/${config}\n`, 0o644);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    const text = readFileSync(join(SOURCE, 'debian', script), 'utf8')
      .replaceAll('@USER@', name)
      .replaceAll('@UNIT@', `${name}.service`)
      .replaceAll('@SERVICE@', service);
    writeFile(join(root, 'DEBIAN', script), text, 0o755);
  }
}

function put(from, to, mode) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function writeFile(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
