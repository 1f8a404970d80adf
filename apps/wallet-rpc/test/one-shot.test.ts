import { readdirSync } from 'node:fs';
import { WalletFile } from '@wrkz/wallet-core';
import { Folder, generate } from './support/service';

const folder = new Folder();

afterAll(() => folder.remove());
afterEach(() => jest.restoreAllMocks());

test('a signal during the creation of a container removes it', async () => {
  const stop = new AbortController();
  const { create } = WalletFile;
  jest.spyOn(WalletFile, 'create').mockImplementation(async (...args) => {
    stop.abort('SIGTERM');
    return create.apply(WalletFile, args);
  });
  await expect(generate(folder.file('interrupted'), '', [], stop.signal)).rejects.toBe('SIGTERM');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a signal does not remove an existing container', async () => {
  const file = folder.file('existing');
  await generate(file, '');
  const before = readdirSync(folder.path);
  await expect(generate(file, '', [], AbortSignal.abort('SIGTERM'))).rejects.toThrow();
  expect(readdirSync(folder.path)).toEqual(before);
});

test('an existing container is reported without the advice to delete it', async () => {
  const file = folder.file('kept');
  await generate(file, '');
  await expect(generate(file, '')).rejects.toThrow(`The container ${file} already exists. Choose another name.`);
});

test('a container that cannot be written is reported with the reason of the system', async () => {
  const file = '/proc/wallet';
  await expect(generate(file, '')).rejects.toThrow(
    `The container ${file} could not be created: no such file or directory`,
  );
});
