import { chmod, chown, lstat, readFile, stat, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { errorCode, errorText } from '../../error-text';
import type { Logger } from '../../log/logger';
import type { LocalListener } from '../server';
import { groupNumber } from './group';
import { type LocalSocketAddress, warnOfOpenSocket } from './options';
import { checkSocketPath, describeSocket, isAbstract, nodePath } from './path';

/** The listener of a socket, for `startHttpServer`. */
export function localListener(address: LocalSocketAddress, logger: Logger): LocalListener {
  return { listen: (server) => listenLocally(server, address, logger) };
}

/**
 * Listens on a local socket. The file is made for its owner alone, then given its group, and only then the mode that was
 * asked for: at no time can more connect than may. What a killed process left behind is removed; what is no socket, and
 * a socket on which somebody listens, is not.
 *
 * @throws Error with a message for the operator; no file is left
 */
async function listenLocally(server: Server, address: LocalSocketAddress, logger: Logger): Promise<void> {
  const { socketPath, mode, group } = address;
  try {
    const wrong = checkSocketPath(socketPath);
    if (wrong !== undefined) throw new Error(wrong);
    if (isAbstract(socketPath)) {
      if (process.platform !== 'linux') throw new Error('the abstract namespace (@name) is one of Linux');
      await bind(server, socketPath, 0o600);
      await warnOfPaddedName(socketPath, logger);
    } else {
      await stat(dirname(socketPath)); // bind itself tells a missing folder as a denied one
      const gid = group === '' ? undefined : await groupNumber(group);
      await removeDeadSocket(socketPath);
      await bind(server, socketPath, mode);
      await openTo(server, socketPath, mode, gid);
    }
  } catch (error) {
    throw new Error(`cannot listen on ${describeSocket(socketPath)}: ${errorText(error)}`, { cause: error });
  }
  warnOfOpenSocket(address, logger);
}

function bind(server: Server, path: string, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The socket is made within the call, so nothing else of this thread is made under this mask.
    const before = process.umask(0o777 & ~(mode & 0o600));
    try {
      server.listen({ path: nodePath(path) }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

async function openTo(server: Server, path: string, mode: number, gid: number | undefined): Promise<void> {
  try {
    if (gid !== undefined) await chown(path, -1, gid);
    await chmod(path, mode);
  } catch (error) {
    await new Promise((closed) => server.close(closed));
    throw error;
  }
}

/** Removes the file of a socket on which nobody listens any more. @throws Error when something else stands there */
async function removeDeadSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('what stands there is not a socket, and is not replaced');
  if (await isListenedOn(path)) throw new Error('another process is listening on it');
  await unlink(path);
}

/** Only a refused connection says that nobody is there. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    const answer = (listened: boolean) => () => {
      probe.destroy();
      resolve(listened);
    };
    probe.once('connect', answer(true));
    probe.once('error', (error) => answer(errorCode(error) !== 'ECONNREFUSED')());
  });
}

/**
 * Node.js 20 fills an abstract name up with zero bytes, which belong to the name: programs that give its length, as those in
 * other languages do, do not find it.
 */
async function warnOfPaddedName(path: string, logger: Logger): Promise<void> {
  const sockets = await readFile('/proc/net/unix', 'latin1').catch(() => '');
  const name = Buffer.from(path).toString('latin1');
  if (!sockets.split('\n').some((line) => line.includes(` ${name}@`))) return;
  logger.warning(
    `Node.js ${process.versions.node} fills the name ${path} up: programs in other languages cannot connect. ` +
      'Give a path, or use Node.js 22 or later.',
  );
}
