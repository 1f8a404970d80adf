import { types } from 'node:util';

/** System error codes as text for operators. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EEXIST: 'it exists already',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'the address is not available on this machine',
};

/** True for errors of any realm: those of workers and virtual contexts are not `instanceof` this one's Error. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

/** The system's code of an error (`EADDRINUSE`...), or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code = isError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error on one line, without a stack. */
export function errorText(error: unknown): string {
  const plain = PLAIN_WORDS[errorCode(error) ?? ''];
  if (plain !== undefined) return plain;
  if (isError(error)) return error.message === '' ? error.name : error.message;
  return String(error);
}

/** Shortens long lines, for example with the value of an option. The start and the end of a line stay. */
export const withShortLines = (text: string): string => text.replace(/^(.{500}).{500,}(.{500})$/gm, '$1 [...] $2');

/** The innermost cause of an error, or the error itself. */
export const rootCause = (error: unknown): unknown =>
  isError(error) && error.cause !== undefined ? rootCause(error.cause) : error;
