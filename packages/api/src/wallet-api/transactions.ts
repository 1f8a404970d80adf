import { z } from 'zod';
import { hash, integer, uint64 } from '../scalars';
import { pathAddress, pathHash, pathHeight } from './common';

const MAX_INT64 = 2n ** 63n - 1n;
/** Signed: what an address received less what it spent. */
const signedAmount = z
  .bigint()
  .min(-MAX_INT64 * 2n)
  .max(MAX_INT64 * 2n);

/** A transaction of the wallet. */
export const transactionRecord = z.object({
  /** 0 while it is in no block. */
  blockHeight: integer,
  /** Blocks from its own to the network's tip, both included; 0 while it is in none. */
  confirmations: integer,
  fee: uint64,
  hash,
  isCoinbaseTransaction: z.boolean(),
  paymentID: z.string(),
  /** Unix seconds of the block; 0 while it is in none. */
  timestamp: integer,
  transfers: z.array(z.object({ address: z.string(), amount: signedAmount })),
  unlockTime: uint64,
});

export const transactionsAnswer = z.object({ transactions: z.array(transactionRecord) });

/** GET /transactions: `nextCursor` stands there when more follow. */
export const pageAnswer = z.object({ nextCursor: z.string().optional(), transactions: z.array(transactionRecord) });

export const transactionAnswer = z.object({ transaction: transactionRecord });

export const transactionKeyAnswer = z.object({ transactionPrivateKey: hash });

export const hashParams = z.object({ hash: pathHash });
export const startParams = z.object({ startHeight: pathHeight });
export const rangeParams = z.object({ startHeight: pathHeight, endHeight: pathHeight });
export const addressStartParams = z.object({ address: pathAddress, startHeight: pathHeight });
export const addressRangeParams = z.object({ address: pathAddress, startHeight: pathHeight, endHeight: pathHeight });

const digits = z.string().regex(/^\d{1,20}$/);

/** Which transactions are listed: by their net amount, incoming ones are not negative. */
const filters = {
  direction: z.enum(['in', 'out']).optional(),
  /** Atomic units that the net amount has at least, whatever its sign. */
  minAmount: digits.optional(),
};

/** The query of GET /transactions; without any of it all are listed, oldest first. */
export const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .optional(),
  /** `nextCursor` of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,10}-[0-9a-f]{64}$/)
    .optional(),
  order: z.enum(['asc', 'desc']).optional(),
  ...filters,
});

/** The query of GET /transactions/export: the form, and unix seconds from which and up to which. */
export const exportQuery = z.object({
  format: z.enum(['csv', 'json']).optional(),
  from: digits.optional(),
  to: digits.optional(),
  ...filters,
});
