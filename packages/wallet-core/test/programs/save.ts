/**
 * `save.ts <file> <keys>`: saves for ever, each version with another scan height and a size of its own, and prints the height
 * when a save is done. The key is derived once, so that nearly all of the time is spent in writing. Whoever starts it kills it.
 */
import { deriveFileKey, writeContainer } from '../../src/container/encrypted-file';
import { replaceFile } from '../../src/container/file-io';
import { grown, walletAt } from '../support/contents';

async function saveForEver(file: string, keys: number): Promise<never> {
  const key = await deriveFileKey('secret');
  const wallet = walletAt(0);
  for (let height = 1; ; height++) {
    const content = grown({ ...wallet, startHeight: height }, 1 + ((height * 7919) % keys));
    await replaceFile(file, 'keep-previous', (handle) => writeContainer(handle, content, key));
    process.stdout.write(`${height}\n`);
  }
}

const [file = '', keys = '1'] = process.argv.slice(2);
void saveForEver(file, Number(keys));
