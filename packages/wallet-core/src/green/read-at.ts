import type { FileHandle } from 'node:fs/promises';
import { readUpTo } from '../container/read-file';
import { walletError } from '../errors';

/** @throws WalletError 1000 when the file, which was long enough, ends before */
export async function readAt(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = await readUpTo(handle, offset, size);
  if (bytes.length < size) throw walletError.walletFileInUse();
  return bytes;
}
