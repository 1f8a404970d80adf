import type { Logger } from '../../log/logger';
import { checkSocketPath, isAbstract, parseSocketMode } from './path';

/** Where a server listens for the programs of its own machine. */
export interface LocalSocketAddress {
  /** An absolute path, or `@name`. */
  readonly socketPath: string;
  /** Permissions of the socket file. */
  readonly mode: number;
  /** Name or number of the group that the file is given to; empty leaves it. */
  readonly group: string;
}

interface Texts<Prefix extends string> {
  /** What the names begin with: `rpc` or `bind`. */
  readonly prefix: Prefix;
  readonly group: string;
  /** What the socket serves, for `--help`. */
  readonly serves: string;
}

type SocketValue = string | number | boolean;

/** `--<prefix>-ipc-path`, `-mode` and `-group`, under which every program has its local socket. */
export function localSocketOptions<const Prefix extends string>({ prefix, group, serves }: Texts<Prefix>) {
  const name = <const Part extends string>(part: Part): `${Prefix}-ipc-${Part}` => `${prefix}-ipc-${part}`;
  const modeName = name('mode');
  return [
    {
      name: name('path'),
      type: 'string',
      default: '',
      group,
      help: `${serves}: an absolute path, or @name in Linux's abstract namespace; empty for none`,
      validate: (value: SocketValue) => (value === '' ? undefined : checkSocketPath(String(value))),
    },
    {
      name: modeName,
      type: 'string',
      default: '0600',
      group,
      help: 'Permissions of the socket file, octal: who may connect',
      validate: (value: SocketValue) =>
        parseSocketMode(String(value)) === undefined
          ? `${modeName} must be octal permissions such as 0600, got: ${String(value)}`
          : undefined,
    },
    { name: name('group'), type: 'string', default: '', group, help: 'The group that the socket file is given to' },
  ] as const;
}

/** The options' values, each already checked; undefined when no socket is asked for. */
export function localSocketAddress(path: string, mode: string, group: string): LocalSocketAddress | undefined {
  if (path === '') return undefined;
  return { socketPath: path, mode: parseSocketMode(mode) ?? 0o600, group };
}

/** Whether this system's sockets have permissions that the kernel holds callers to. */
export function hasLocalSockets(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** What the operator should know of a socket that more can reach than may seem. */
export function warnOfOpenSocket({ socketPath, mode, group }: LocalSocketAddress, logger: Logger): void {
  if (isAbstract(socketPath)) {
    logger.warning(`the abstract socket ${socketPath} has no permissions: every process of this machine can connect`);
  } else if ((mode & 0o007) !== 0) {
    logger.warning(`the socket ${socketPath} is open to everybody on this machine`);
  } else if ((mode & 0o070) !== 0 && group === '') {
    logger.warning(`the socket ${socketPath} is open to a group, and none was named: it is the one of this process`);
  }
}
