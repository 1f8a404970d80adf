import { rm } from 'node:fs/promises';
import { errorText, UsageError } from '@wrkz/service-kit';
import {
  createdWallet,
  isWalletError,
  parsePrivateKey,
  scanFrom,
  type WalletContent,
  WalletError,
  WalletFile,
  walletFromKeys,
  walletFromSeed,
} from '@wrkz/wallet-core';
import { serviceLogger, type WalletRpcConfig } from './config';
import { openContainer, openingText } from './open-container';

/**
 * Creates the container without a node. If the signal aborts, the new container is removed.
 * @returns the first address
 * @throws UsageError with a message for the operator; the signal's reason
 */
export async function generateContainer(
  { options, containerFile }: WalletRpcConfig,
  signal?: AbortSignal,
): Promise<string> {
  try {
    const { walletFile, content } = await WalletFile.create(containerFile, options['container-password'], () =>
      newContent(options),
    );
    await walletFile.close();
    if (signal?.aborted === true) await Promise.all(['', '.lock'].map((suffix) => rm(containerFile + suffix)));
    signal?.throwIfAborted();
    return content.subWallets[0]?.address ?? '';
  } catch (error) {
    if (error instanceof UsageError || signal?.aborted === true) throw error;
    // The general text of this error advises to delete the file, which may hold the only copy of the keys.
    if (isWalletError(error, 'walletFileAlreadyExists')) {
      throw new UsageError(`The container ${containerFile} already exists. Choose another name.`);
    }
    throw new UsageError(`The container ${containerFile} could not be created: ${openingText(error)}`);
  }
}

function newContent(options: WalletRpcConfig['options']): WalletContent {
  const start = scanFrom(options['scan-height']);
  const { 'mnemonic-seed': seed, 'view-key': viewKey, 'spend-key': spendKey } = options;
  if (seed !== '') {
    try {
      return walletFromSeed(seed, start);
    } catch (error) {
      throw new UsageError(errorText(error));
    }
  }
  if (viewKey === '') return createdWallet(start);
  for (const [key, name] of [
    [viewKey, 'view'],
    [spendKey, 'spend'],
  ] as const) {
    if (!isSecret(key)) throw new UsageError(`Invalid ${name} key`);
  }
  return walletFromKeys(viewKey, spendKey, start);
}

function isSecret(key: string): boolean {
  try {
    parsePrivateKey(key);
    return true;
  } catch (error) {
    if (error instanceof WalletError) return false;
    throw error;
  }
}

/** The output of `--address`. @throws Error with a message for the operator */
export async function listAddresses(config: WalletRpcConfig): Promise<string> {
  const { wallet } = await openContainer(config, { logger: serviceLogger(config), now: Date.now });
  const lines = wallet.snapshot.addresses.map((address) => `Address: ${address}`);
  await wallet.close();
  return lines.join('\n');
}
