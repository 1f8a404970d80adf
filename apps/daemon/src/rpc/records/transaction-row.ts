import type { daemonApi } from '@wrkz/api';
import type { ParsedTransaction } from '@wrkz/core-types';
import type { z } from 'zod';

/** A transaction in one line of the explorer's lists. */
export function transactionRow({
  transaction,
  fee,
  hash,
  size,
}: ParsedTransaction): z.output<typeof daemonApi.transactionRowObject> {
  return {
    amount_out: transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n),
    fee: fee ?? 0n,
    hash: hash.toString('hex'),
    size,
  };
}
