import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { contentText } from '../../src/container/encrypted-file';
import { WalletFile } from '../../src/container/wallet-file';
import { endPrograms, runProgram } from '../support/child';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { recordedWallets } from '../support/recorded-wallets';
import { errorNameOf, type WalletErrorName } from '../support/rejection';

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

const content = walletAt(3);
const text = contentText(content);
const holding = (bytes: string | Buffer): string => {
  const file = fresh('some.wallet');
  writeFileSync(file, bytes);
  return file;
};
const refusal = (file: string, password = 'secret'): Promise<WalletErrorName> =>
  errorNameOf(WalletFile.open(file, password));

test('what cannot be read is 1', async () => {
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

test('each fault of a file has its code, in the order of looking', async () => {
  const good = containerOf('secret', text);
  expect(await refusal(holding(''))).toBe('notAWalletFile');
  expect(await refusal(holding(good.subarray(0, 63)))).toBe('notAWalletFile');
  expect(await refusal(holding(Buffer.from(good).fill('x', 10, 11)))).toBe('notAWalletFile');
  expect(await refusal(holding(good.subarray(0, 64)))).toBe('walletFileCorrupted');
  expect(await refusal(holding(good.subarray(0, 79)))).toBe('walletFileCorrupted');
  expect(await refusal(holding(good.subarray(0, 80)))).toBe('wrongPassword');
  expect(await refusal(holding(good.subarray(0, 96)))).toBe('wrongPassword');
  expect(await refusal(holding(good.subarray(0, -1)))).toBe('wrongPassword');
  expect(await refusal(holding(good), 'Secret')).toBe('wrongPassword');
  expect(await refusal(holding(containerOf('secret', '', 'You')))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', text, 'You are a big guy.\nFor you.')))).toBe('wrongPassword');
  expect(await refusal(holding(containerOf('secret', '')))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', text.slice(0, -1))))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', `${text}{}`)))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', '[]')))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', '{"walletFileFormatVersion":1}')))).toBe(
    'unsupportedWalletFileFormatVersion',
  );
  expect(await refusal(holding(containerOf('secret', '{"walletFileFormatVersion":1')))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', '{"walletFileFormatVersion":"0"}')))).toBe('walletFileCorrupted');
  expect(await refusal(holding(containerOf('secret', '{"walletFileFormatVersion":0}')))).toBe('walletFileCorrupted');
}, 60_000);

test('half a file of the reference is 5, as it answers', async () => {
  const { path, password } = recordedWallets()[0]!;
  const bytes = readFileSync(path);
  expect(await refusal(holding(bytes.subarray(0, bytes.length >> 1)), password)).toBe('wrongPassword');
  expect(await refusal(holding(Buffer.from(bytes).fill(bytes[90_000]! ^ 1, 90_000, 90_001)), password)).toBe(
    'walletFileCorrupted',
  );
});

test('what was made elsewhere opens with an empty password, and one beyond ASCII', async () => {
  for (const password of ['', 'пароль ✓ '.repeat(30)]) {
    const { walletFile, content: read } = await WalletFile.open(holding(containerOf(password, text)), password);
    await walletFile.close();
    expect(contentText(read)).toBe(text);
  }
});

test('a container is open once, in this process and in all, by whichever name', async () => {
  const file = holding(containerOf('secret', text));
  const link = fresh('link');
  symlinkSync(file, link);
  const { walletFile } = await WalletFile.open(file, 'secret');
  expect(await refusal(file)).toBe('walletFileInUse');
  expect(await refusal(link)).toBe('walletFileInUse');
  const other = runProgram('hold.ts', [link, 'secret']);
  expect(await other.line()).toBe('1000');
  await walletFile.close();
  await walletFile.close();
  for (const end of ['kill', 'stop'] as const) {
    const holder = runProgram('hold.ts', [file, 'secret']);
    expect(await holder.line()).toBe('open');
    expect(await refusal(file)).toBe('walletFileInUse');
    holder[end]();
    await holder.ended;
    const again = await WalletFile.open(file, 'secret');
    await again.walletFile.close();
  }
}, 60_000);

test('a file that does not open is let go of', async () => {
  const file = holding(containerOf('secret', text));
  expect(await refusal(file, 'wrong')).toBe('wrongPassword');
  const { walletFile } = await WalletFile.open(file, 'secret');
  await walletFile.close();
});
