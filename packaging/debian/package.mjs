import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';
import { release } from '../programs.mjs';

const SOURCES = join(top, 'packaging');
const ARCHITECTURE = { x64: 'amd64', arm64: 'arm64' }[process.arch];
/** The variables of Debian's own tools. */
const { DEBFULLNAME = 'WrkzCoin', DEBEMAIL = 'root@localhost' } = process.env;

/**
 * Additional rights in units. The daemon lists network interfaces. ZeroMQ sets the default scheduling policy of its threads
 * and aborts if that is forbidden; real-time policies remain forbidden.
 */
const DAEMON = { FAMILIES: ' AF_NETLINK', CALLS: ' sched_setscheduler' };
const OTHERS = { FAMILIES: '', CALLS: '' };

/**
 * Builds the Debian package of a program with dpkg-deb.
 * @param program of `programs`
 * @param {{version: string, work: string, target: string, compression?: string}} options `work`: scratch folder;
 *   `target`: folder of the packages
 * @returns {string} the path of the .deb
 */
export function buildPackage(program, { version, work, target, compression = 'xz' }) {
  const { name, service, title, description } = program;
  const root = join(work, name);
  const values = {
    ...{ NAME: name, SERVICE: service, TITLE: title, DESCRIPTION: description, VERSION: version },
    ...{ ARCHITECTURE, MAINTAINER: `${DEBFULLNAME} <${DEBEMAIL}>`, DEPENDS: service ? ', adduser' : '' },
    ...(service === 'daemon' ? DAEMON : OTHERS),
  };
  const template = (file, path, mode) => {
    const text = readFileSync(join(SOURCES, file), 'utf8');
    write(
      join(root, path),
      text.replace(/@([A-Z]+)@/g, (_, key) => values[key]),
      mode,
    );
  };
  rmSync(root, { recursive: true, force: true });
  put(join(release, name), join(root, 'usr/bin', name), 0o755);
  const documents = join(root, 'usr/share/doc', name);
  put(join(top, 'LICENSE'), join(documents, 'copyright'), 0o644);
  put(join(release, 'THIRD-PARTY-LICENSES.txt'), join(documents, 'THIRD-PARTY-LICENSES.txt'), 0o644);
  template('debian/control', 'DEBIAN/control', 0o644);
  if (service) {
    template('systemd/wrkz.service', `lib/systemd/system/${name}.service`, 0o644);
    // postinst makes the group of the service its owner.
    put(join(SOURCES, 'config', `${service}.ini`), join(root, 'etc/wrkz', `${service}.ini`), 0o640);
    write(join(root, 'DEBIAN/conffiles'), `/etc/wrkz/${service}.ini\n`, 0o644);
    for (const script of ['postinst', 'prerm', 'postrm']) template(`debian/${script}`, `DEBIAN/${script}`, 0o755);
  }
  mkdirSync(target, { recursive: true });
  const file = join(target, `${name}_${version}_${ARCHITECTURE}.deb`);
  command('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, root, file]);
  rmSync(root, { recursive: true });
  return file;
}

const put = (from, to, mode) => write(to, readFileSync(from), mode);

function write(path, content, mode) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
}
