import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit/base';
import { walletErrorOfCode, walletErrorRows } from '../errors';
import { WalletError } from '../errors';

/** The first bytes of a regular file, fewer when it is shorter: what it is can be told by them. @throws WalletError 1 */
export async function readFileStart(file: string, size: number): Promise<Buffer> {
  return withRegularFile(file, (handle) => readUpTo(handle, 0, size));
}

/** As many bytes as there are, at most `size`. A read may give fewer than it was asked for. */
export async function readUpTo(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, offset + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Reads from a regular file. @throws WalletError 1 when that fails, with the system's error as cause; what `read` refuses */
export async function withRegularFile<T>(
  file: string,
  read: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    // A pipe would be waited for at the open already.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return await read(handle, stats.size);
  } catch (error) {
    if (error instanceof WalletError) throw error;
    const { code } = walletErrorRows.filenameNonExistent;
    throw walletErrorOfCode(code, undefined, { cause: new Error(errorText(error), { cause: error }) });
  } finally {
    await handle?.close();
  }
}
