import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit';
import { walletErrorOfCode, walletErrorRows } from '../errors';
import { TurnTaker } from './turns';

const CHUNK = 4 * 1024 * 1024;

/** All of a regular file. @throws WalletError 1 when it cannot be read, with the system's error as cause */
export async function readWalletFile(file: string): Promise<Buffer> {
  return reading(file, async (handle, size) => {
    const turns = new TurnTaker();
    const content = Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await handle.read(content, length, Math.min(CHUNK, size - length), length);
      if (bytesRead === 0) break;
      length += bytesRead;
      await turns.pause();
    }
    return content.subarray(0, length);
  });
}

/** The first bytes of a regular file, fewer when it is shorter: what it is can be told by them. @throws WalletError 1 */
export async function readFileStart(file: string, size: number): Promise<Buffer> {
  return reading(file, async (handle) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  });
}

async function reading<T>(file: string, read: (handle: FileHandle, size: number) => Promise<T>): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    // A pipe would be waited for at the open already.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return await read(handle, stats.size);
  } catch (error) {
    const { code } = walletErrorRows.filenameNonExistent;
    throw walletErrorOfCode(code, undefined, { cause: new Error(errorText(error), { cause: error }) });
  } finally {
    await handle?.close();
  }
}
