import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WalletFile } from '../../src/container/wallet-file';
import { contentText } from '../../src/container/encrypted-file';
import { walletError } from '../../src/errors';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { errorNameOf } from '../support/rejection';

afterEach(removeFolders);

const made = async (password = 'secret') => WalletFile.create(fresh('a.wallet'), password, () => walletAt(1));

async function heightIn(file: string, password = 'secret'): Promise<number> {
  const { walletFile, content } = await WalletFile.open(file, password);
  await walletFile.close();
  return content.startHeight;
}

test('a new container exists when create resolves, readable only by its owner', async () => {
  const { walletFile, content } = await made();
  expect(statSync(walletFile.file).mode & 0o777).toBe(0o600);
  await walletFile.close();
  const again = await WalletFile.open(walletFile.file, 'secret');
  expect(again.content).toEqual(content);
  await again.walletFile.close();
});

test('an existing or unusable name is refused, and no file remains', async () => {
  const file = fresh('a.wallet');
  const create = (path: string) => errorNameOf(WalletFile.create(path, 'secret', () => walletAt(1)));
  expect(await create(join(file, 'below'))).toBe('invalidWalletFilename');
  expect(await create(`${file}\0`)).toBe('invalidWalletFilename');
  expect(await create(dirname(file))).toBe('walletFileAlreadyExists');
  const refused = WalletFile.create(file, 'secret', () => {
    throw walletError.invalidMnemonic();
  });
  expect(await errorNameOf(refused)).toBe('invalidMnemonic');
  expect(readdirSync(dirname(file)).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  writeFileSync(file, 'something');
  expect(await create(file)).toBe('walletFileAlreadyExists');
  expect(readFileSync(file, 'utf8')).toBe('something');
});

test('exactly one of two concurrent creates of a file succeeds', async () => {
  const file = fresh('a.wallet');
  const results = await Promise.allSettled([1, 2].map((at) => WalletFile.create(file, 'secret', () => walletAt(at))));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const result of results) if (result.status === 'fulfilled') await result.value.walletFile.close();
});

test('overlapping saves are combined, with the last content', async () => {
  const { walletFile, content } = await made();
  const saves = [2, 3, 4, 5].map((startHeight) => walletFile.save({ ...content, startHeight }));
  await Promise.all(saves);
  expect(saves[0]).toBe(saves[3]);
  await walletFile.save({ ...content, startHeight: 6 });
  await walletFile.close();
  expect(await heightIn(walletFile.file)).toBe(6);
  await expect(walletFile.save(content)).rejects.toThrow('closed');
});

test('close waits for a requested save', async () => {
  const { walletFile, content } = await made();
  void walletFile.save({ ...content, startHeight: 9 });
  await walletFile.close();
  expect(await heightIn(walletFile.file)).toBe(9);
});

test('each version has a new salt', async () => {
  const { walletFile, content } = await made();
  const salts = new Set<string>();
  for (let i = 0; i < 3; i++) {
    await walletFile.save(content);
    salts.add(readFileSync(walletFile.file).toString('hex', 64, 80));
  }
  await walletFile.close();
  expect(salts.size).toBe(3);
});

test('the old password remains valid when the container cannot be saved with a new one', async () => {
  const { walletFile, content } = await made();
  mkdirSync(`${walletFile.file}.tmp/in/the/way`, { recursive: true });
  expect(await errorNameOf(walletFile.changePassword('new', content))).toBe('invalidWalletFilename');
  expect(walletFile.isPassword('secret')).toBe(true);
  await walletFile.close();
  expect(await errorNameOf(heightIn(walletFile.file, 'new'))).toBe('wrongPassword');
  const { walletFile: again } = await WalletFile.open(walletFile.file, 'secret');
  await errorNameOf(again.save(content));
  await again.close();
});

test('the old password remains valid when the folder cannot be synced after the container got a new one', async () => {
  const { walletFile, content } = await made();
  const folder = dirname(walletFile.file);
  const { open } = promises;
  const opens = jest.spyOn(promises, 'open').mockImplementation(async (path, ...rest) => {
    if (path !== folder) return open(path, ...rest);
    opens.mockRestore();
    throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  });
  expect(await errorNameOf(walletFile.changePassword('new', content))).toBe('invalidWalletFilename');
  expect(walletFile.isPassword('secret')).toBe(true);
  await walletFile.close();
  expect(await heightIn(walletFile.file)).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(['a.wallet', 'a.wallet.lock', 'a.wallet.previous']);
});

test('a changed password replaces the old one', async () => {
  const { walletFile, content } = await made();
  await walletFile.changePassword('new', { ...content, startHeight: 2 });
  expect([walletFile.isPassword('secret'), walletFile.isPassword('new')]).toEqual([false, true]);
  await walletFile.save({ ...content, startHeight: 3 });
  await walletFile.close();
  expect(await errorNameOf(heightIn(walletFile.file))).toBe('wrongPassword');
  expect(await heightIn(walletFile.file, 'new')).toBe(3);
});

test('a temporary file of a killed program is replaced, and a link at its path is not followed', async () => {
  const { walletFile, content } = await made();
  const elsewhere = fresh('elsewhere');
  writeFileSync(elsewhere, 'untouched');
  symlinkSync(elsewhere, `${walletFile.file}.tmp`);
  await walletFile.save({ ...content, startHeight: 2 });
  writeFileSync(`${walletFile.file}.tmp`, 'half a wall');
  await walletFile.save({ ...content, startHeight: 3 });
  await walletFile.close();
  expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
  expect(await heightIn(walletFile.file)).toBe(3);
  expect(readdirSync(dirname(walletFile.file)).sort()).toEqual(['a.wallet', 'a.wallet.lock', 'a.wallet.previous']);
});

describe('the previous version of a container', () => {
  test('is retained by each save with the permissions of the container', async () => {
    const { walletFile, content } = await made();
    chmodSync(walletFile.file, 0o640);
    await walletFile.save({ ...content, startHeight: 2 });
    await walletFile.save({ ...content, startHeight: 3 });
    await walletFile.close();
    const previous = `${walletFile.file}.previous`;
    expect(statSync(previous).mode & 0o777).toBe(0o640);
    expect([await heightIn(walletFile.file), await heightIn(previous)]).toEqual([3, 2]);
  });

  test('is retained when a save fails', async () => {
    const { walletFile, content } = await made();
    await walletFile.save({ ...content, startHeight: 2 });
    mkdirSync(`${walletFile.file}.tmp/in/the/way`, { recursive: true });
    expect(await errorNameOf(walletFile.save({ ...content, startHeight: 3 }))).toBe('invalidWalletFilename');
    await walletFile.close();
    expect(await heightIn(walletFile.file)).toBe(2);
    expect(await heightIn(`${walletFile.file}.previous`)).toBe(1);
  });

  test('is replaced after a kill left two names of one file', async () => {
    const { walletFile, content } = await made();
    const { file } = walletFile;
    linkSync(file, `${file}.previous`);
    linkSync(file, `${file}.previous.tmp`);
    await walletFile.save({ ...content, startHeight: 2 });
    await walletFile.close();
    expect([await heightIn(file), await heightIn(`${file}.previous`)]).toEqual([2, 1]);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('is a copy on a file system without hard links', async () => {
    const { walletFile, content } = await made();
    const link = jest
      .spyOn(promises, 'link')
      .mockRejectedValue(Object.assign(new Error('no links'), { code: 'EPERM' }));
    await walletFile.save({ ...content, startHeight: 2 });
    expect(link).toHaveBeenCalledTimes(1);
    link.mockRestore();
    await walletFile.close();
    expect([await heightIn(walletFile.file), await heightIn(`${walletFile.file}.previous`)]).toEqual([2, 1]);
  });

  test('is removed when the password changes', async () => {
    const { walletFile, content } = await made();
    await walletFile.save(content);
    await walletFile.changePassword('new', content);
    expect(existsSync(`${walletFile.file}.previous`)).toBe(false);
    await walletFile.save(content);
    await walletFile.close();
    expect(await heightIn(`${walletFile.file}.previous`, 'new')).toBe(1);
  });

  test('of a deleted container is not replaced by a new container with its name', async () => {
    const { walletFile, content } = await made();
    const { file } = walletFile;
    await walletFile.save(content);
    await walletFile.close();
    const old = readFileSync(`${file}.previous`);
    rmSync(file);
    const { walletFile: again } = await WalletFile.create(file, 'secret', () => walletAt(5));
    await again.save(walletAt(6));
    await again.close();
    const name = readdirSync(dirname(file)).find((entry) => /\.previous\.\d+$/.test(entry)) ?? '';
    expect(readFileSync(join(dirname(file), name))).toEqual(old);
  });
});

test('another container that was put in the place of the open one is retained', async () => {
  const { walletFile, content } = await made();
  const other = await made();
  await other.walletFile.close();
  const bytes = readFileSync(other.walletFile.file);
  renameSync(other.walletFile.file, walletFile.file);
  await walletFile.save(content);
  await walletFile.save(content);
  await walletFile.save(content);
  await walletFile.close();
  const folder = dirname(walletFile.file);
  const copies = readdirSync(folder).filter((entry) => /\.previous\.\d+$/.test(entry));
  expect(copies.map((entry) => readFileSync(join(folder, entry)))).toEqual([bytes]);
});

test('a save through a link retains link and permissions', async () => {
  const file = fresh('real.wallet');
  writeFileSync(file, containerOf('secret', contentText(walletAt(1))));
  chmodSync(file, 0o640);
  const link = fresh('link.wallet');
  symlinkSync(file, link);
  const { walletFile, content } = await WalletFile.open(link, 'secret');
  await walletFile.save({ ...content, startHeight: 7 });
  await walletFile.close();
  expect(await heightIn(file)).toBe(7);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(dirname(link))).toEqual(['link.wallet']);
});

test('an export has the JSON and a line end, and replaces an older file', async () => {
  const file = fresh('export.json');
  writeFileSync(file, 'older '.repeat(10_000));
  const content = walletAt(4);
  await WalletFile.exportPlain(file, content);
  expect(readFileSync(file, 'utf8')).toBe(`${contentText(content)}\n`);
  expect(await errorNameOf(WalletFile.exportPlain(join(file, 'below'), content))).toBe('invalidWalletFilename');
});
