import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';
import { release } from '../programs.mjs';

const SOURCES = join(top, 'packaging');
const ARCHITECTURE = { x64: 'amd64', arm64: 'arm64' }[process.arch];
/** The variables of Debian's own tools. */
const { DEBFULLNAME = 'WrkzCoin', DEBEMAIL = 'root@localhost' } = process.env;

/**
 * Builds the Debian package of a program with dpkg-deb.
 * @param {{name: string, service?: string, description: string}} program
 * @param {{version: string, work: string, target: string, compression?: string}} options `work`: scratch folder;
 *   `target`: folder of the packages
 * @returns {string} the path of the .deb
 */
export function buildPackage({ name, service, description }, { version, work, target, compression = 'xz' }) {
  const root = join(work, name);
  rmSync(root, { recursive: true, force: true });
  put(join(release, name), join(root, 'usr/bin', name), 0o755);
  const documents = join(root, 'usr/share/doc', name);
  put(join(top, 'LICENSE'), join(documents, 'copyright'), 0o644);
  put(join(release, 'THIRD-PARTY-LICENSES.txt'), join(documents, 'THIRD-PARTY-LICENSES.txt'), 0o644);
  if (service) putService(root, name, service);
  const fields = {
    Package: name,
    Version: version,
    Architecture: ARCHITECTURE,
    Maintainer: `${DEBFULLNAME} <${DEBEMAIL}>`,
    Section: 'net',
    Priority: 'optional',
    Depends: `libc6 (>= 2.34), libstdc++6 (>= 12)${service ? ', adduser' : ''}`,
    Description: description,
  };
  const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
  write(join(root, 'DEBIAN/control'), control.join(''), 0o644);
  mkdirSync(target, { recursive: true });
  const file = join(target, `${name}_${version}_${ARCHITECTURE}.deb`);
  command('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, root, file]);
  rmSync(root, { recursive: true });
  return file;
}

/** Puts the unit, the configuration and the maintainer scripts of a service. */
function putService(root, name, service) {
  put(join(SOURCES, 'systemd', `${name}.service`), join(root, 'lib/systemd/system', `${name}.service`), 0o644);
  // postinst makes the group of the service its owner.
  put(join(SOURCES, 'config', `${service}.ini`), join(root, 'etc/wrkz', `${service}.ini`), 0o640);
  write(join(root, 'DEBIAN/conffiles'), `/etc/wrkz/${service}.ini\n`, 0o644);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    const text = readFileSync(join(SOURCES, 'debian', script), 'utf8')
      .replaceAll('@USER@', name)
      .replaceAll('@UNIT@', `${name}.service`)
      .replaceAll('@SERVICE@', service);
    write(join(root, 'DEBIAN', script), text, 0o755);
  }
}

function put(from, to, mode) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
