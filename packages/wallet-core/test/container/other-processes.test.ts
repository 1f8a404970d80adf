import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { contentText } from '../../src/container/encrypted-file';
import { WalletFile } from '../../src/container/wallet-file';
import type { WalletErrorName } from '../../src/error-table';
import { endPrograms, runProgram } from '../support/child';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { killSavers } from '../support/kills';
import { errorNameOf } from '../support/rejection';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

function container(): string {
  const file = fresh('a.wallet');
  writeFileSync(file, containerOf('secret', contentText(walletAt(3))));
  return file;
}

const errorOf = (file: string): Promise<WalletErrorName> => errorNameOf(WalletFile.open(file, 'secret'));

test('a container can be open only once, in one or several processes and through links', async () => {
  const file = container();
  const link = fresh('link');
  symlinkSync(file, link);
  const { walletFile } = await WalletFile.open(file, 'secret');
  expect(await errorOf(file)).toBe('walletFileInUse');
  expect(await errorOf(link)).toBe('walletFileInUse');
  const other = runProgram('hold.ts', [link, 'secret']);
  expect(await other.line()).toBe('1000');
  await walletFile.close();
  await walletFile.close();
  for (const end of ['kill', 'stop'] as const) {
    const holder = runProgram('hold.ts', [file, 'secret']);
    expect(await holder.line()).toBe('open');
    expect(await errorOf(file)).toBe('walletFileInUse');
    holder[end]();
    await holder.ended;
    const again = await WalletFile.open(file, 'secret');
    await again.walletFile.close();
  }
});

test('exactly one of several programs that open a container concurrently succeeds', async () => {
  const file = container();
  const programs = Array.from({ length: 4 }, () => runProgram('hold.ts', [file, 'secret']));
  const lines = await Promise.all(programs.map((program) => program.line()));
  expect(lines.sort()).toEqual(['1000', '1000', '1000', 'open']);
});

test('a save above the file size limit fails without changing the file, and a later save succeeds', async () => {
  const { walletFile } = await WalletFile.create(fresh('a.wallet'), 'secret', () => walletAt(1));
  await walletFile.close();
  const program = runProgram('fill.ts', [walletFile.file, 'secret'], 'ulimit -f 1000');
  expect(await program.line()).toBe('2');
  expect(readdirSync(dirname(walletFile.file)).sort()).toEqual(['a.wallet', 'a.wallet.lock']);
  expect(await program.line()).toBe('0');
  expect(await program.ended).toBe(0);
  const { walletFile: again, content } = await WalletFile.open(walletFile.file, 'secret');
  await again.close();
  expect(content.transactionKeys).toHaveLength(3);
});

test('the file opens with a saved version after kills during saves', async () => {
  await killSavers(4, Math.random);
});
