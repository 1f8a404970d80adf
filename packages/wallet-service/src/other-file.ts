import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Whether there is a file that is no earlier export: no wallet, lock or letter is lost to one. */
export async function isOtherFile(file: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return false;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0);
    return buffer.toString('latin1', 0, bytesRead) !== '{';
  } catch {
    // What cannot be read is told of when it is written.
    return false;
  } finally {
    await handle?.close();
  }
}
