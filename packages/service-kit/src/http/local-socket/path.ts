import { isAbsolute, resolve } from 'node:path';

/** What an address of `sockaddr_un` holds, less the zero byte at its end. A longer path would silently be cut. */
const LONGEST_PATH = 107;

/** Whether an address names a local socket: a path, `@name` of Linux's abstract namespace, or `ipc://` before either. */
export function isSocketAddress(address: string): boolean {
  return address.startsWith('ipc://') || address.startsWith('/') || address.startsWith('@');
}

/** The path or `@name` of a socket address; after `ipc://` a path may be relative to the working directory. */
export function socketPath(address: string): string {
  const path = address.startsWith('ipc://') ? address.slice('ipc://'.length) : address;
  return path === '' || isAbstract(path) ? path : resolve(path);
}

/** Whether it is `@name`, which has no file and therefore no permissions. */
export function isAbstract(path: string): boolean {
  return path.startsWith('@');
}

/** As `net` takes it: the abstract namespace begins with a zero byte. */
export function nodePath(path: string): string {
  return isAbstract(path) ? `\0${path.slice(1)}` : path;
}

/** `socket /run/node.sock`, for messages. */
export function describeSocket(path: string): string {
  return isAbstract(path) ? `abstract socket ${path}` : `socket ${path}`;
}

/** Says what is wrong with the path of a listener, or undefined when it is fine. */
export function checkSocketPath(path: string): string | undefined {
  if (path.includes('\0')) return 'a path holds no zero byte';
  if (path === '@') return 'an abstract socket needs a name after the @';
  if (!isAbstract(path) && !isAbsolute(path)) return `an IPC socket path must be absolute, or @name, got: ${path}`;
  const length = Buffer.byteLength(path);
  return length > LONGEST_PATH ? `a socket path has at most ${LONGEST_PATH} bytes, this one has ${length}` : undefined;
}

/** Permissions written in octal, `600`, `0600` or `0o600`; undefined for anything else. */
export function parseSocketMode(text: string): number | undefined {
  const digits = /^(?:0o|0)?([0-7]{3})$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** `0600`. */
export function socketModeText(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
