import type { ServedWallet, WalletSyncStatus, WalletTransaction } from '@wrkz/wallet-core';

/** Transactions more than this many blocks below the tip are history: hooks skip them unless configured otherwise. */
export const RECENT_BLOCKS = 1_440;

/** Whether hooks report a transaction without `--notify-during-sync`. */
export function isRecent(
  { blockHeight }: Pick<WalletTransaction, 'blockHeight'>,
  { localHeight, networkHeight }: Pick<WalletSyncStatus, 'localHeight' | 'networkHeight'>,
): boolean {
  return blockHeight + RECENT_BLOCKS >= Math.max(localHeight, networkHeight);
}

/** Received minus spent over all addresses of the wallet, atomic units. */
export function netAmount({ transfers }: Pick<WalletTransaction, 'transfers'>): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Warnings to log when a wallet was opened: a conversion of its file, a lost side file. */
export function openingWarnings({ converted, sideFile }: Pick<ServedWallet, 'converted' | 'sideFile'>): string[] {
  const { lost } = sideFile.identity;
  return [
    ...(converted === undefined ? [] : [conversionText(converted)]),
    ...(lost === undefined
      ? []
      : [
          `the side file of this wallet was ${lost}: earlier idempotency keys and delayed transactions are not known any more`,
        ]),
  ];
}

function conversionText({ backup, lostCache }: NonNullable<ServedWallet['converted']>): string {
  const history = lostCache === undefined ? '' : `; its history was unreadable (${lostCache}) and is scanned again`;
  return `this wallet had the old file format and was converted; the original file is stored as ${backup}${history}`;
}
