import type { Wallet, WalletSyncStatus, WalletTransaction } from '@wrkz/wallet-core';

/** By default hooks skip transactions that are more than this number of blocks below the tip. */
export const RECENT_BLOCKS = 1_440;

/** Whether hooks report a transaction without `--notify-during-sync`. */
export function isRecent(
  { blockHeight }: Pick<WalletTransaction, 'blockHeight'>,
  { localHeight, networkHeight }: Pick<WalletSyncStatus, 'localHeight' | 'networkHeight'>,
): boolean {
  return blockHeight + RECENT_BLOCKS >= Math.max(localHeight, networkHeight);
}

/** Whether hooks report a transaction: only in verified blocks, and old ones only with `--notify-during-sync`. */
export function isNotified(transaction: WalletTransaction, status: WalletSyncStatus, isDuringSync: boolean): boolean {
  return transaction.unverifiedBlock === undefined && (isDuringSync || isRecent(transaction, status));
}

/** Received minus spent over all addresses of the wallet, atomic units. */
export function netAmount({ transfers }: Pick<WalletTransaction, 'transfers'>): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Warnings about an opened wallet: its file was converted or changed by another program, or its sends are paused. */
export function openingWarnings({
  converted,
  containerChange,
  pause,
}: Pick<Wallet, 'converted' | 'containerChange' | 'pause'>): string[] {
  return [
    ...(converted === undefined ? [] : [conversionText(converted)]),
    ...(containerChange === undefined ? [] : [containerChange]),
    ...(pause.current === undefined ? [] : [`sends are paused: ${pause.current.reason}`]),
  ];
}

function conversionText({ backup, lostCache }: NonNullable<Wallet['converted']>): string {
  const history =
    lostCache === undefined ? '' : `; its history was unreadable (${lostCache}) and is restored by a rescan`;
  return `this wallet had the old file format and was converted; the original file is stored as ${backup}${history}`;
}
