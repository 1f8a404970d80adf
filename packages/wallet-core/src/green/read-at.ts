import type { FileHandle } from 'node:fs/promises';
import { walletError } from '../errors';

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

/** @throws WalletError 1000 when the file, which was long enough, ends before */
export async function readAt(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = await readUpTo(handle, offset, size);
  if (bytes.length < size) throw walletError.walletFileInUse();
  return bytes;
}
