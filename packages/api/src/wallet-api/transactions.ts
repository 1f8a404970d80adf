import { z } from 'zod';
import { hash, integer, uint64 } from '../scalars';
import { pathAddress, pathHash, pathHeight } from './common';

const MAX_INT64 = 2n ** 63n - 1n;
/** Received minus spent. */
const signedAmount = z
  .bigint()
  .min(-MAX_INT64 * 2n)
  .max(MAX_INT64 * 2n)
  .meta({ description: 'Atomic units received minus spent by the address' });

/** A transaction of the wallet. */
export const transactionRecord = z.object({
  blockHeight: integer.meta({ description: '0 while unconfirmed' }),
  confirmations: integer.meta({ description: '1 in the top block, 0 while unconfirmed' }),
  fee: uint64.meta({ description: 'Atomic units' }),
  hash,
  isCoinbaseTransaction: z.boolean(),
  paymentID: z.string().meta({ description: 'Empty for none' }),
  timestamp: integer.meta({ description: 'Unix seconds of the block, 0 while unconfirmed' }),
  transfers: z.array(z.object({ address: z.string(), amount: signedAmount })),
  unlockTime: uint64.meta({ description: 'Block height or unix seconds until which the outputs are locked' }),
  verified: z.literal(false).optional().meta({
    description: 'Present while no node has proved the block by its bytes: what was received is locked until then',
  }),
});

export const transactionsAnswer = z.object({ transactions: z.array(transactionRecord) });

/** GET /transactions */
export const pageAnswer = z.object({
  nextCursor: z.string().optional().meta({ description: 'Missing on the last page' }),
  transactions: z.array(transactionRecord),
});

export const transactionAnswer = z.object({ transaction: transactionRecord });

export const transactionKeyAnswer = z.object({ transactionPrivateKey: hash });

export const hashParams = z.object({ hash: pathHash });
export const startParams = z.object({ startHeight: pathHeight });
export const rangeParams = z.object({ startHeight: pathHeight, endHeight: pathHeight });
export const addressStartParams = z.object({ address: pathAddress, startHeight: pathHeight });
export const addressRangeParams = z.object({ address: pathAddress, startHeight: pathHeight, endHeight: pathHeight });

const digits = z.string().regex(/^\d{1,20}$/);

const filters = {
  direction: z.enum(['in', 'out']).optional().meta({ description: 'Sign of the net amount; zero counts as in' }),
  minAmount: digits.optional().meta({ description: 'Min absolute net amount, atomic units' }),
};

/** The query of GET /transactions. */
export const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .optional()
    .meta({ description: 'Max transactions per page, 1 to 99999. Default: no limit' }),
  cursor: z
    .string()
    .regex(/^\d{1,10}-[0-9a-f]{64}$/)
    .optional()
    .meta({ description: 'nextCursor of the previous page' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: 'By block. Default asc' }),
  ...filters,
});

/** The query of GET /transactions/export. */
export const exportQuery = z.object({
  format: z.enum(['csv', 'json']).optional().meta({ description: 'Default csv' }),
  from: digits.optional().meta({ description: 'Min block timestamp, unix seconds' }),
  to: digits.optional().meta({ description: 'Max block timestamp, unix seconds' }),
  ...filters,
});
