import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WalletFile } from '../../../src/container/wallet-file';
import { backupName } from '../../../src/container/green/convert';
import { endPrograms, runProgram } from '../../support/child';
import { fresh, removeFolders } from '../../support/folder';
import { errorNameOf } from '../../support/rejection';
import { greenNamed } from './support/recorded-green';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

const old = greenNamed('alice-pending.green');
const bytes = readFileSync(old.path);

function copied(): string {
  const file = fresh('a.wallet');
  copyFileSync(old.path, file);
  return file;
}

async function opened(file: string): Promise<string | undefined> {
  const { walletFile, content, converted } = await WalletFile.open(file, old.password);
  await walletFile.close();
  expect(content.subWallets.map(({ publicSpendKey }) => publicSpendKey)).toEqual(
    old.addresses?.map(({ publicSpendKey }) => publicSpendKey),
  );
  return converted?.backup;
}

test('the backup copy replaces no existing file, and an identical copy is reused', async () => {
  const file = copied();
  writeFileSync(backupName(file, 1), 'another file');
  mkdirSync(backupName(file, 2));
  expect(await opened(file)).toBe(backupName(file, 3));
  expect(readFileSync(backupName(file, 1), 'utf8')).toBe('another file');
  expect(readFileSync(backupName(file, 3)).equals(bytes)).toBe(true);
  expect(await opened(file)).toBeUndefined();

  writeFileSync(file, bytes);
  expect(await opened(file)).toBe(backupName(file, 3));
  expect(existsSync(backupName(file, 4))).toBe(false);
});

test('a copy or container that cannot be written leaves the file unchanged', async () => {
  for (const blocked of ['old-version-backup-a.wallet.tmp', 'a.wallet.tmp']) {
    const file = copied();
    mkdirSync(join(dirname(file), blocked));
    expect(await errorNameOf(WalletFile.open(file, old.password))).toBe('invalidWalletFilename');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  }
});

test('after a kill during the conversion the file is the old or the new one', async () => {
  for (let i = 0; i < 6; i++) {
    const file = copied();
    const program = runProgram('hold.ts', [file, old.password]);
    // The conversion begins after the lock is created.
    while (!existsSync(`${file}.lock`)) await wait(5);
    await wait(i * 60);
    program.kill();
    await program.ended;
    await opened(file);
    expect(readFileSync(backupName(file, 1)).equals(bytes)).toBe(true);
  }
});
