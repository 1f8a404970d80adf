/**
 * `save.ts <file> <keys>`: saves versions of different start heights and sizes until it is killed, and prints the height after
 * each save. The key is derived once, so that most of the time is spent on writing.
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
