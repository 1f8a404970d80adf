import { z } from 'zod';
import { hash, integer, uint64 } from '../scalars';
import { sendOptions } from './common';

const destination = z.object({ address: z.string(), amount: uint64 });

export const basicBody = z.object({ destination: z.string(), amount: uint64, paymentID: z.string().optional() });

export const advancedBody = z.object({ destinations: z.array(destination), ...sendOptions });

export const preparedBody = z.object({ transactionHash: hash });

export const sweepBody = z.object({
  destination: z.string(),
  amount: uint64.optional(),
  paymentID: z.string().optional(),
});

/** The amount is not looked at, so it may be anything that a sweep takes. */
export const sweepAllBody = sweepBody.omit({ amount: true });

/** A transaction that was built; `mixin` is what it has, `defaultMixin` what wallets take at this height. */
export const builtAnswer = z.object({
  defaultMixin: integer.optional(),
  fee: uint64,
  mixin: integer.optional(),
  relayedToNetwork: z.boolean(),
  transactionHash: hash,
});

export const sentAnswer = z.object({ transactionHash: hash });

/** The header by which a send is done once, however often it is asked for. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const sweepEntry = z.union([
  z.object({ success: z.literal(true), transactionHash: hash }),
  z.object({ success: z.literal(false), errorCode: integer, errorMessage: z.string() }),
]);

export const sweepAnswer = z.object({ transactions: z.array(sweepEntry) });

const estimate = {
  defaultMixin: integer,
  fee: uint64,
  inputs: integer,
  mixin: integer,
  outputs: integer,
  /** Bytes. */
  size: integer,
};

/** POST /transactions/estimate. */
export const estimateAnswer = z.object(estimate);

/** POST /transactions/estimate/sweep: a row for each transaction that it would take. */
export const sweepEstimateAnswer = z.object({
  amount: uint64,
  fee: uint64,
  transactions: z.array(z.object({ amount: uint64, ...estimate })),
});

export const preparedParams = z.object({ hash });
