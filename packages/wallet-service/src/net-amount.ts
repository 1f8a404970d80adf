import type { WalletTransaction } from '@wrkz/wallet-core';

/** What all addresses of the wallet received less what they spent. */
export function netAmount({ transfers }: Pick<WalletTransaction, 'transfers'>): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}
