import { createReadStream, existsSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit/base';
import { CONTAINER_HEADER_SIZE, isContainer } from '../container/encrypted-file';
import { checkName, readFileStart, replaceFile } from '../container/file-io';
import type { WalletFile } from '../container/wallet-file';
import { isWalletError, walletError, WalletClosed, walletErrorOf } from '../errors';
import { walletDbMarkOf } from '../wallet-db/identity';
import { backupWalletDb, FILE_SUFFIXES, walletDbName } from '../wallet-db/wallet-db';

/*
 * A backup is a pair of files: a copy of the container, and beside it, under the default name, a copy of the wallet database.
 * The database is copied after the container, so that its log continues the copied container.
 */

/**
 * Copies container and database to `to` and `to.db`, and verifies both copies with the keys of the wallet. After a failure
 * both copies are removed.
 * @param save writes the container, and calls `copy` before any other write of the container
 * @throws WalletError walletFileAlreadyExists; invalidWalletFilename when a copy cannot be written or verified; those of
 * `save`
 */
export async function backupWallet(
  walletFile: Pick<WalletFile, 'file' | 'readCopy'>,
  to: string,
  save: (copy: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let isCopied = false;
  try {
    await save(async () => {
      checkTargets(to);
      await copyFile(walletFile.file, to);
      isCopied = true;
    });
    const content = await walletFile.readCopy(to);
    await backupWalletDb(walletFile.file, walletDbName(to), content.privateViewKey, walletDbMarkOf(content));
  } catch (error) {
    for (const name of isCopied ? [to, walletDbName(to)] : []) await rm(name, { force: true }).catch(() => undefined);
    const isOwn = isWalletError(error, 'walletFileAlreadyExists') || isWalletError(error, 'walletDatabaseDamaged');
    if (error instanceof WalletClosed || isOwn) throw error;
    throw walletErrorOf('invalidWalletFilename', `The backup failed: ${errorText(error)}`, { cause: error });
  }
}

/**
 * Path of the empty file that marks a restored wallet. Its first open removes the file and pauses sends, because idempotency
 * keys used after the backup are unknown.
 */
export const restoredMarker = (file: string): string => `${file}.restored`;

/** Whether the marker file exists and is empty. A file with content is a wallet with this name. */
export function isRestored(file: string): boolean {
  return statSync(restoredMarker(file), { throwIfNoEntry: false })?.size === 0;
}

/**
 * Copies a backup to a path without a wallet. The wallet opens with its password at the time of the backup.
 * @throws WalletError filenameNonExistent, notAWalletFile, walletFileAlreadyExists, invalidWalletFilename
 */
export async function restoreBackup(backup: string, file: string): Promise<void> {
  if (!isContainer(await readFileStart(backup, CONTAINER_HEADER_SIZE))) throw walletError.notAWalletFile();
  await readFileStart(walletDbName(backup), 1);
  checkTargets(file);
  try {
    await copyFile(walletDbName(backup), walletDbName(file));
    await writeFile(restoredMarker(file), '');
    await copyFile(backup, file);
  } catch (error) {
    for (const name of [walletDbName(file), restoredMarker(file)])
      await rm(name, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Requires that no files exist: a database may be the last copy of its data, and SQLite would apply a leftover log. */
function checkTargets(file: string): void {
  checkName(file);
  const names = [file, restoredMarker(file), ...FILE_SUFFIXES.map((suffix) => walletDbName(file) + suffix)];
  if (names.some((name) => existsSync(name))) throw walletError.walletFileAlreadyExists();
}

function copyFile(from: string, to: string): Promise<void> {
  return replaceFile(to, 'create', (handle) => writeFile(handle, createReadStream(from)));
}
