import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';

/** Whether the file exists and is not an earlier JSON export, so that an export must not overwrite it. */
export async function isForeignFile(file: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return false;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0);
    return buffer.toString('latin1', 0, bytesRead) !== '{';
  } catch {
    // The later write reports the error.
    return false;
  } finally {
    await handle?.close();
  }
}

/** Error texts of the C library that differ from those of Node.js. */
const C_LIBRARY_TEXTS: Readonly<Record<string, string>> = {
  EEXIST: 'File exists',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
};

/** The C library's text of a system error by its name (`EEXIST`); undefined for an unknown name. */
export function systemText(code: string): string | undefined {
  if (C_LIBRARY_TEXTS[code] !== undefined) return C_LIBRARY_TEXTS[code];
  for (const [name, text] of getSystemErrorMap().values()) {
    if (name === code) return text.charAt(0).toUpperCase() + text.slice(1);
  }
  return undefined;
}
