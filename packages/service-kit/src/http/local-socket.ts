import { execFile } from 'node:child_process';
import { chmod, chown, lstat, readFile, stat, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, errorText } from '../error-text';
import type { Logger } from '../log/logger';
import type { LocalListener } from './server';
import { checkSocketPath, describeSocket, isAbstract, nodePath, parseSocketMode } from './socket-path';

/** The address of a listener for processes of this machine. */
export interface LocalSocketAddress {
  /** An absolute path, or `@name`. */
  readonly socketPath: string;
  /** Permissions of the socket file. */
  readonly mode: number;
  /** Name or number of the group of the file; empty: unchanged. */
  readonly group: string;
}

interface OptionTexts<Prefix extends string> {
  /** Prefix of the option names: `rpc` or `bind`. */
  readonly prefix: Prefix;
  /** Description of the served interface, for `--help`. */
  readonly serves: string;
}

type SocketValue = string | number | boolean;

/** The options `--<prefix>-ipc-path`, `-mode` and `-group`. */
export function localSocketOptions<const Prefix extends string>({ prefix, serves }: OptionTexts<Prefix>) {
  const name = <const Part extends string>(part: Part): `${Prefix}-ipc-${Part}` => `${prefix}-ipc-${part}`;
  const modeName = name('mode');
  return [
    {
      name: name('path'),
      default: '',
      help: `${serves}: an absolute path, or @name in Linux's abstract namespace; empty for none`,
      validate: (value: SocketValue) => (value === '' ? undefined : checkSocketPath(String(value))),
    },
    {
      name: modeName,
      default: '0600',
      help: 'Permissions of the socket file, octal: who may connect',
      validate: (value: SocketValue) =>
        parseSocketMode(String(value)) === undefined
          ? `${modeName} must be octal permissions such as 0600, got: ${String(value)}`
          : undefined,
    },
    { name: name('group'), default: '', help: 'Group of the socket file' },
  ] as const;
}

/** The address from the values of the options, which are valid; undefined without a path. */
export function localSocketAddress(path: string, mode: string, group: string): LocalSocketAddress | undefined {
  return path === '' ? undefined : { socketPath: path, mode: parseSocketMode(mode) ?? 0o600, group };
}

/** Whether the system enforces permissions of socket files. */
export function hasLocalSockets(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** A listener on a socket file for `startHttpServer`. */
export function localListener(address: LocalSocketAddress, logger: Logger): LocalListener {
  return { listen: (server) => listenLocally(server, address, logger) };
}

/**
 * Listens on a socket file. It is created for its owner only, then gets its group, then its mode: at no time can others connect.
 * The socket of a killed process is replaced; another file, or a socket with a listener, is not.
 *
 * @throws Error with a message for the operator; no file is left
 */
async function listenLocally(server: Server, address: LocalSocketAddress, logger: Logger): Promise<void> {
  const { socketPath, mode, group } = address;
  try {
    const problem = checkSocketPath(socketPath);
    if (problem !== undefined) throw new Error(problem);
    if (isAbstract(socketPath)) {
      if (process.platform !== 'linux') throw new Error('only Linux has the abstract namespace (@name)');
      await bind(server, socketPath, 0o600);
      await warnOfPaddedName(socketPath, logger);
    } else {
      // Checked first, because `bind` reports a missing folder as EACCES.
      await stat(dirname(socketPath));
      const gid = group === '' ? undefined : await groupNumber(group);
      await removeDeadSocket(socketPath);
      await bind(server, socketPath, mode);
      await setAccess(server, socketPath, mode, gid);
    }
  } catch (error) {
    throw new Error(`cannot listen on ${describeSocket(socketPath)}: ${errorText(error)}`, { cause: error });
  }
  warnOfOpenSocket(address, logger);
}

function bind(server: Server, path: string, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The call creates the socket synchronously: nothing else of this thread is created with this mask.
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

async function setAccess(server: Server, path: string, mode: number, gid: number | undefined): Promise<void> {
  try {
    if (gid !== undefined) await chown(path, -1, gid);
    await chmod(path, mode);
  } catch (error) {
    await new Promise((closed) => server.close(closed));
    throw error;
  }
}

/** Removes a socket file without a listener. @throws Error if the path is used by something else */
export async function removeDeadSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('the existing file is not a socket and is not replaced');
  if (await hasListener(path)) throw new Error('another process is listening on it');
  await unlink(path);
}

/** Only a refused connection proves that there is no listener. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    const end = (isListening: boolean) => () => {
      probe.destroy();
      resolve(isListening);
    };
    probe.once('connect', end(true));
    probe.once('error', (error) => end(errorCode(error) !== 'ECONNREFUSED')());
  });
}

const run = promisify(execFile);
const GETENT_TIMEOUT_MS = 5_000;

/** The number of a group by its name or number. @throws Error with a message for the operator */
async function groupNumber(group: string): Promise<number> {
  if (/^\d{1,10}$/.test(group)) return Number(group);
  const file = await readFile('/etc/group', 'utf8').catch(() => '');
  const found = groupIn(file, group) ?? (await groupOfDirectory(group));
  if (found === undefined) throw new Error(`no group named ${group}`);
  return found;
}

/** A group of a directory service, such as LDAP. */
async function groupOfDirectory(group: string): Promise<number | undefined> {
  const output = await run('getent', ['group', '--', group], { timeout: GETENT_TIMEOUT_MS }).catch(() => undefined);
  return output && groupIn(output.stdout, group);
}

/** @param lines `name:password:number:members` */
function groupIn(lines: string, group: string): number | undefined {
  for (const line of lines.split('\n')) {
    const [name, , number = ''] = line.split(':');
    if (name === group && /^\d{1,10}$/.test(number)) return Number(number);
  }
  return undefined;
}

/** Node.js 20 pads an abstract name with zero bytes: programs that pass the length of the name do not find it. */
async function warnOfPaddedName(path: string, logger: Logger): Promise<void> {
  const sockets = await readFile('/proc/net/unix', 'latin1').catch(() => '');
  const name = Buffer.from(path).toString('latin1');
  if (!sockets.split('\n').some((line) => line.includes(` ${name}@`))) return;
  logger.warning(
    `Node.js ${process.versions.node} pads the name ${path}: programs in other languages cannot connect. ` +
      'Give a path, or use Node.js 22 or later.',
  );
}

/** Warns if more processes can connect than the operator may expect. */
function warnOfOpenSocket({ socketPath, mode, group }: LocalSocketAddress, logger: Logger): void {
  if (isAbstract(socketPath)) {
    logger.warning(`the abstract socket ${socketPath} has no permissions: every process of this machine can connect`);
  } else if ((mode & 0o007) !== 0) {
    logger.warning(`the socket ${socketPath} is open to everybody on this machine`);
  } else if ((mode & 0o070) !== 0 && group === '') {
    logger.warning(`the socket ${socketPath} is open to a group, and none was named: it is the one of this process`);
  }
}
