import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CorruptDatabase } from '@wrkz/chain-db';
import { RuleFailure } from '@wrkz/consensus';
import type { NetworkName } from '@wrkz/core-types';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { POOL_BYTES } from '../src/mempool/limits';
import { PoolFile } from '../src/mempool/pool-file';
import { temporaryDirectory } from './support/temporary';
import { bench, hashOf, made } from './support/pool';

const { signal } = new AbortController();

interface Opened extends ReturnType<typeof bench> {
  readonly file: PoolFile;
  readonly logger: MemoryLogger;
}

function open(directory: string, network: NetworkName = 'devnet', branches: Buffer[][] = []): Opened {
  const opened = bench();
  const logger = createMemoryLogger();
  return {
    ...opened,
    logger,
    file: new PoolFile({ directory, network, pool: opened.pool, branches: () => branches, logger }),
  };
}

const withChecksum = (bytes: Buffer): Buffer => Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);

/** A pool of three transactions in a file. */
async function saved(directory: string): Promise<Buffer[]> {
  const { pool, file } = open(directory);
  await file.load(signal);
  const transactions = [made({ fee: 30n }), made({ fee: 20n }), made({ fee: 10n })];
  for (const bytes of transactions) await pool.add(bytes, 'p2p');
  await file.close();
  return transactions;
}

test('restores the pool after a restart, and checks each transaction again', async () => {
  const directory = temporaryDirectory();
  const [first, second, third] = await saved(directory);
  const { pool, validator, file, logger } = open(directory);
  validator.refusals.set(hashOf(second!).toString('hex'), new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT'));
  await file.load(signal);
  expect(pool.hashes()).toEqual([hashOf(first!), hashOf(third!)]);
  expect(validator.validated).toBe(3);
  expect(logger.linesOf('info').join()).toMatch(
    /validating 3 pooled transactions of the last run.*2 of 3 pooled transactions are still valid/,
  );
  await file.close();
  const again = open(directory);
  await again.file.load(signal);
  expect(again.pool.size).toBe(2);
  await again.file.close();
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['is damaged', (bytes) => (bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60), bytes)],
  ['is damaged', (bytes) => bytes.subarray(0, -1)],
  ['is damaged', (bytes) => withChecksum(bytes.subarray(0, -33))],
  ['is damaged', (bytes) => withChecksum(Buffer.concat([bytes.subarray(0, -32), Buffer.alloc(3)]))],
  ['is not a pool file', () => Buffer.from('something else')],
  ['is not a pool file', () => Buffer.alloc(0)],
  ['is not a pool file', (bytes) => withChecksum(bytes.subarray(0, 9))],
  ['more than a pool can have', () => Buffer.alloc(POOL_BYTES * 1.1)],
])('ignores a file that %s with a warning, and replaces it', async (reason, change) => {
  const directory = temporaryDirectory();
  await saved(directory);
  const path = join(directory, 'mempool.bin');
  writeFileSync(path, change(readFileSync(path)));
  const { pool, file, logger } = open(directory);
  await file.load(signal);
  expect(pool.size).toBe(0);
  expect(logger.linesOf('warning')).toEqual([expect.stringContaining(reason)]);
  await file.close();
  const again = open(directory);
  await again.file.load(signal);
  expect(again.logger.linesOf('warning')).toEqual([]);
  await again.file.close();
});

test('restores the pool and starts although the chain is damaged where a transaction of a side branch needs it', async () => {
  const directory = temporaryDirectory();
  await saved(directory);
  const { pool, validator, file, logger } = open(directory, 'devnet', [[], [made()]]);
  jest.spyOn(validator, 'validate').mockImplementation(() => {
    if (pool.size < 3) return Promise.resolve(undefined);
    return Promise.reject(new CorruptDatabase('page 7 is damaged'));
  });
  await file.load(signal);
  expect(pool.size).toBe(3);
  expect(logger.linesOf('warning')).toEqual([expect.stringContaining('page 7 is damaged')]);
  await file.close();
});

test('ignores a file of another network with a warning', async () => {
  const directory = temporaryDirectory();
  await saved(directory);
  const { pool, file, logger } = open(directory, 'simnet');
  await file.load(signal);
  expect(pool.size).toBe(0);
  expect(logger.linesOf('warning')[0]).toContain('it belongs to another network');
  await file.close();
});

test('a folder or a named pipe in the place of the file is not read', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'mempool.bin'));
  const { file, logger } = open(directory);
  await file.load(signal);
  expect(logger.linesOf('warning')).toEqual([expect.stringContaining('it is not a regular file')]);
  await file.close();
});

test('starts with an empty pool if there is no file, and logs nothing', async () => {
  const { file, validator, logger } = open(temporaryDirectory());
  await file.load(signal);
  expect([...logger.linesOf('info'), ...logger.linesOf('warning')]).toEqual([]);
  expect(validator.validated).toBe(0);
  await file.close();
});

test('warns if the file cannot be examined', async () => {
  const directory = temporaryDirectory();
  symlinkSync('mempool.bin', join(directory, 'mempool.bin'));
  const { file, logger } = open(directory);
  await file.load(signal);
  expect(logger.linesOf('warning')).toEqual([expect.stringContaining('too many levels of symbolic links')]);
  await file.close();
});

test('leaves the file unchanged at a stop during the restore', async () => {
  const directory = temporaryDirectory();
  const transactions = await saved(directory);
  const stopped = open(directory);
  await stopped.file.load(AbortSignal.abort());
  await stopped.file.close();
  const { pool, file } = open(directory);
  await file.load(signal);
  expect(pool.size).toBe(transactions.length);
  await file.close();
});

test('writes an unchanged pool once, and warns if the directory is not writable', async () => {
  const directory = temporaryDirectory();
  const { pool, file, logger } = open(directory);
  await file.load(signal);
  await pool.add(made(), 'p2p');
  await file.save();
  const path = join(directory, 'mempool.bin');
  writeFileSync(path, 'marked');
  await file.save();
  expect(readFileSync(path, 'utf8')).toBe('marked');
  await pool.add(made(), 'p2p');
  await file.save();
  expect(readFileSync(path).subarray(0, 8).toString()).toBe('WRKZPOOL');
  await file.close();
  const missing = open('/dev/null/nowhere');
  await missing.file.load(signal);
  await missing.file.save();
  expect(missing.logger.linesOf('warning').join()).toContain('the pool cannot be written');
  await missing.file.close();
  expect(logger.linesOf('warning')).toEqual([]);
});
