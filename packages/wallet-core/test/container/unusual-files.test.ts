import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { contentText } from '../../src/container/encrypted-file';
import { WalletFile } from '../../src/container/wallet-file';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { errorNameOf } from '../support/rejection';

/* Folders, pipes, devices and huge files in place of a container or its lock. Opening neither blocks nor reads them completely. */

const held: WalletFile[] = [];

afterEach(async () => {
  for (const container of held.splice(0)) await container.close();
  removeFolders();
});

const bytes = containerOf('secret', contentText(walletAt(3)));

function container(): string {
  const file = fresh('a.wallet');
  writeFileSync(file, bytes);
  return file;
}

const kinds: [string, (path: string) => void][] = [
  ['folder', (path) => mkdirSync(path)],
  ['pipe', (path) => void execFileSync('mkfifo', [path])],
  ['device', (path) => symlinkSync('/dev/zero', path)],
];

test.each(kinds)('a %s instead of the lock is refused, and the container is unchanged', async (_kind, make) => {
  const file = container();
  make(`${file}.lock`);
  expect(await errorNameOf(WalletFile.open(file, 'secret'))).toBe('invalidWalletFilename');
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test.each(kinds)('a %s at the path of an open container is not written to', async (kind, make) => {
  const { walletFile, content } = await WalletFile.open(container(), 'secret');
  held.push(walletFile);
  unlinkSync(walletFile.file);
  make(walletFile.file);
  if (kind === 'folder') expect(await errorNameOf(walletFile.save(content))).toBe('invalidWalletFilename');
  else {
    await walletFile.save(content);
    expect(lstatSync(walletFile.file).isFile()).toBe(true);
    expect(statSync(walletFile.file).mode & 0o777).toBe(0o600);
  }
});

test('a huge file is refused without reading it completely', async () => {
  const length = 50_000_000_000;
  const text = fresh('text');
  writeFileSync(text, 'no container');
  truncateSync(text, length);
  expect(await errorNameOf(WalletFile.open(text, 'secret'))).toBe('notAWalletFile');
  const file = container();
  truncateSync(file, length);
  expect(await errorNameOf(WalletFile.open(file, 'other'))).toBe('wrongPassword');
  const padded = container();
  appendFileSync(padded, Buffer.alloc(20_000_000));
  // The decrypted end is random, and a valid padding in one of 256 cases.
  expect(['wrongPassword', 'walletFileCorrupted']).toContain(await errorNameOf(WalletFile.open(padded, 'secret')));
});

test('a link to itself and a device are refused with filenameNonExistent', async () => {
  const loop = fresh('loop');
  symlinkSync(loop, loop);
  expect(await errorNameOf(WalletFile.open(loop, 'secret'))).toBe('filenameNonExistent');
  const device = fresh('device');
  symlinkSync('/dev/zero', device);
  expect(await errorNameOf(WalletFile.open(device, 'secret'))).toBe('filenameNonExistent');
});

test('a password of a million characters opens its container', async () => {
  const password = 'ß'.repeat(1_000_000);
  const { walletFile } = await WalletFile.create(fresh('a.wallet'), password, () => walletAt(1));
  await walletFile.close();
  expect(await errorNameOf(WalletFile.open(walletFile.file, password.slice(1)))).toBe('wrongPassword');
  const again = await WalletFile.open(walletFile.file, password);
  await again.walletFile.close();
});
