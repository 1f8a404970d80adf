import type { WalletSyncStatus, WalletTransaction } from '@wrkz/wallet-core';

/** A transaction that lies further behind the tip is history: nobody is told of it unless asked for. */
export const BLOCKS_OF_NEWS = 1_440;

/** Whether a transaction is news. */
export function isNews(
  { blockHeight }: Pick<WalletTransaction, 'blockHeight'>,
  { localHeight, networkHeight }: Pick<WalletSyncStatus, 'localHeight' | 'networkHeight'>,
): boolean {
  return blockHeight + BLOCKS_OF_NEWS >= Math.max(localHeight, networkHeight);
}
