import { z } from 'zod';
import { hash, statusOk } from '../../scalars';

export const transactionsStatusRequest = z.object({ transactionHashes: z.array(hash) });

/** Each hash that was asked for stands in exactly one of the three, once. */
export const transactionsStatusAnswer = z.object({
  status: statusOk,
  transactionsInBlock: z.array(hash),
  transactionsInPool: z.array(hash),
  transactionsUnknown: z.array(hash),
});
