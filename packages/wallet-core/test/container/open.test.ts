import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { rootCause } from '@wrkz/service-kit/base';
import { contentText } from '../../src/container/encrypted-file';
import { WalletFile } from '../../src/container/wallet-file';
import { walletError } from '../../src/errors';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { recordedWallets } from '../support/recorded-wallets';
import type { WalletErrorName } from '../../src/error-table';
import { errorNameOf } from '../support/rejection';

afterEach(removeFolders);

const content = walletAt(3);
const text = contentText(content);
const fileOf = (bytes: string | Buffer): string => {
  const file = fresh('some.wallet');
  writeFileSync(file, bytes);
  return file;
};
const refusal = (file: string, password = 'secret'): Promise<WalletErrorName> =>
  errorNameOf(WalletFile.open(file, password));

test('an unreadable path is refused with filenameNonExistent', async () => {
  expect(await refusal(fresh('none'))).toBe('filenameNonExistent');
  expect(await refusal(fresh('none/at/all'))).toBe('filenameNonExistent');
  expect(await refusal(fresh('with\0nothing'))).toBe('filenameNonExistent');
  const folder = fresh('folder');
  mkdirSync(folder);
  expect(await refusal(folder)).toBe('filenameNonExistent');
  const pipe = fresh('pipe');
  execFileSync('mkfifo', [pipe]);
  expect(await refusal(pipe)).toBe('filenameNonExistent');
  expect(readdirSync(dirname(pipe))).toEqual(['pipe']);
});

test('each defect of a file is reported with its error, in the order of the checks', async () => {
  const good = containerOf('secret', text);
  expect(await refusal(fileOf(''))).toBe('notAWalletFile');
  expect(await refusal(fileOf(good.subarray(0, 63)))).toBe('notAWalletFile');
  expect(await refusal(fileOf(Buffer.from(good).fill('x', 10, 11)))).toBe('notAWalletFile');
  expect(await refusal(fileOf(good.subarray(0, 64)))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(good.subarray(0, 79)))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(good.subarray(0, 80)))).toBe('wrongPassword');
  expect(await refusal(fileOf(good.subarray(0, 96)))).toBe('wrongPassword');
  expect(await refusal(fileOf(good.subarray(0, -1)))).toBe('wrongPassword');
  expect(await refusal(fileOf(good), 'Secret')).toBe('wrongPassword');
  expect(await refusal(fileOf(containerOf('secret', '', 'You')))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', text, 'You are a big guy.\nFor you.')))).toBe('wrongPassword');
  expect(await refusal(fileOf(containerOf('secret', '')))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', text.slice(0, -1))))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', `${text}{}`)))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', '[]')))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', '{"walletFileFormatVersion":1}')))).toBe(
    'unsupportedWalletFileFormatVersion',
  );
  expect(await refusal(fileOf(containerOf('secret', '{"walletFileFormatVersion":1')))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', '{"walletFileFormatVersion":"0"}')))).toBe('walletFileCorrupted');
  expect(await refusal(fileOf(containerOf('secret', '{"walletFileFormatVersion":0}')))).toBe('walletFileCorrupted');
});

test('half a file of the C++ wallets is refused with wrongPassword, a changed byte with walletFileCorrupted', async () => {
  const { path, password } = recordedWallets()[0]!;
  const bytes = readFileSync(path);
  expect(await refusal(fileOf(bytes.subarray(0, bytes.length >> 1)), password)).toBe('wrongPassword');
  expect(await refusal(fileOf(Buffer.from(bytes).fill(bytes[90_000]! ^ 1, 90_000, 90_001)), password)).toBe(
    'walletFileCorrupted',
  );
});

test('the error of a truncated file names the damage if the password is correct', async () => {
  const bytes = containerOf('secret', text.padEnd(1_000));
  const damage = async (password: string): Promise<unknown> =>
    rootCause(await WalletFile.open(fileOf(bytes.subarray(0, 500)), password).catch((error: unknown) => error));
  expect(await damage('secret')).toMatchObject({ message: expect.stringContaining('the file is damaged') });
  expect(await damage('wrong')).toEqual(walletError.wrongPassword());
});

test('a container opens with an empty and with a non-ASCII password', async () => {
  for (const password of ['', 'пароль ✓ '.repeat(30)]) {
    const { walletFile, content: read } = await WalletFile.open(fileOf(containerOf(password, text)), password);
    await walletFile.close();
    expect(contentText(read)).toBe(text);
  }
});

test('a failed open releases the lock', async () => {
  const file = fileOf(containerOf('secret', text));
  expect(await refusal(file, 'wrong')).toBe('wrongPassword');
  const { walletFile } = await WalletFile.open(file, 'secret');
  await walletFile.close();
});
