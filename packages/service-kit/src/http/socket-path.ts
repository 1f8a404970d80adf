import { isAbsolute, resolve } from 'node:path';

/** Max bytes of a path in `sockaddr_un`, without the final zero byte. The system would truncate a longer path. */
const MAX_PATH_BYTES = 107;

/** Whether an address is a socket file: a path, `@name` in Linux's abstract namespace, or either after `ipc://`. */
export function isSocketAddress(address: string): boolean {
  return address.startsWith('ipc://') || address.startsWith('/') || address.startsWith('@');
}

/** The path or `@name` of a socket address; after `ipc://` a path may be relative to the working directory. */
export function socketPath(address: string): string {
  const path = address.startsWith('ipc://') ? address.slice('ipc://'.length) : address;
  return path === '' || isAbstract(path) ? path : resolve(path);
}

/** Whether a path is `@name`, which has no file and no permissions. */
export function isAbstract(path: string): boolean {
  return path.startsWith('@');
}

/** The path for `net`: an abstract name begins with a zero byte. */
export function nodePath(path: string): string {
  return isAbstract(path) ? `\0${path.slice(1)}` : path;
}

/** For messages: `socket /run/node.sock`. */
export function describeSocket(path: string): string {
  return isAbstract(path) ? `abstract socket ${path}` : `socket ${path}`;
}

/** The error text for an invalid path to listen on; undefined if it is valid. */
export function checkSocketPath(path: string): string | undefined {
  if (path.includes('\0')) return 'a path cannot contain a zero byte';
  if (path === '@') return 'an abstract socket needs a name after the @';
  if (!isAbstract(path) && !isAbsolute(path)) return `an IPC socket path must be absolute, or @name, got: ${path}`;
  const length = Buffer.byteLength(path);
  return length > MAX_PATH_BYTES
    ? `a socket path has at most ${MAX_PATH_BYTES} bytes, this one has ${length}`
    : undefined;
}

/** Parses octal permissions: `600`, `0600` or `0o600`; undefined for an invalid text. */
export function parseSocketMode(text: string): number | undefined {
  const digits = /^(?:0o|0)?([0-7]{3})$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}
