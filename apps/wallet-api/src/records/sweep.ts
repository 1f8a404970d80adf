import type { walletApi } from '@wrkz/api';
import type { SweepResult } from '@wrkz/wallet-core';
import type { z } from 'zod';

type SweepAnswer = z.output<typeof walletApi.sweepAnswer>;

/** The answer to a sweep: an entry for each transaction, sent or not. */
export function sweepRecord({ entries }: Pick<SweepResult, 'entries'>): SweepAnswer {
  const transactions = entries.map((entry) =>
    entry.success
      ? { success: true as const, transactionHash: entry.transactionHash }
      : { errorCode: entry.errorCode, errorMessage: entry.errorMessage, success: false as const },
  );
  return { transactions };
}

/** The answer to a sweep that a kill came into. */
export function recoveredSweep(known: readonly { readonly hash: string }[]): SweepAnswer {
  return { transactions: known.map(({ hash }) => ({ success: true as const, transactionHash: hash })) };
}
