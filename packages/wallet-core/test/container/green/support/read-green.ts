import { open } from 'node:fs/promises';
import { readGreenFile } from '../../../../src/container/green/convert';

/** Reads a WalletGreen file without converting it. */
export async function readGreen(path: string, password: string): ReturnType<typeof readGreenFile> {
  const handle = await open(path, 'r');
  try {
    return await readGreenFile(handle, (await handle.stat()).size, password);
  } finally {
    await handle.close();
  }
}
