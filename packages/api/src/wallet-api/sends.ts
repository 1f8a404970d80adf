import { z } from 'zod';
import { decimal, hash, integer, uint64 } from '../scalars';

const amount = uint64.meta({ description: 'Atomic units' });
const paymentID = z.string().optional().meta({ description: '16 or 64 hex digits' });

const destination = z.object({ address: z.string(), amount });

export const basicBody = z.object({ destination: z.string(), amount, paymentID });

export const advancedBody = z.object({
  destinations: z.array(destination),
  mixin: uint64.optional().meta({ description: 'Decoys per input. Default: the default of the network' }),
  ringFallback: z
    .boolean()
    .optional()
    .meta({ description: 'Whether a smaller ring may be used if the node has too few decoys. Default true' }),
  fee: uint64.optional().meta({ description: 'Total fee in atomic units; overrides feePerByte' }),
  feePerByte: decimal.optional().meta({ description: 'Atomic units per byte. Default: the minimum fee' }),
  sourceAddresses: z.array(z.string()).optional().meta({ description: 'Addresses to spend from. Default: all' }),
  paymentID,
  changeAddress: z.string().optional().meta({ description: 'Default: the primary address' }),
  unlockTime: uint64.optional().meta({ description: 'Block height or unix seconds. Default (0): the network minimum' }),
  extra: z.string().optional().meta({ description: 'Additional data, hex' }),
});

export const preparedBody = z.object({ transactionHash: hash });

export const sweepBody = z.object({
  destination: z.string(),
  amount: uint64.optional().meta({ description: 'Atomic units. Default: the whole unlocked balance' }),
  paymentID,
});

/** An `amount` in the body is ignored. */
export const sweepAllBody = sweepBody.omit({ amount: true });

/** A built transaction. */
export const builtAnswer = z.object({
  defaultMixin: integer.optional().meta({ description: 'The default of the network at this height' }),
  fee: uint64.meta({ description: 'Atomic units' }),
  mixin: integer.optional().meta({ description: 'Decoys per input of this transaction' }),
  relayedToNetwork: z.boolean(),
  transactionHash: hash,
});

export const sentAnswer = z.object({ transactionHash: hash });

/** The header `Idempotency-Key`. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const sweepEntry = z.union([
  z.object({ success: z.literal(true), transactionHash: hash }),
  z.object({ success: z.literal(false), errorCode: integer, errorMessage: z.string() }),
]);

export const sweepAnswer = z.object({ transactions: z.array(sweepEntry) });

const estimate = {
  defaultMixin: integer,
  fee: uint64.meta({ description: 'Atomic units' }),
  inputs: integer,
  mixin: integer,
  outputs: integer,
  size: integer.meta({ description: 'Bytes' }),
};

/** POST /transactions/estimate */
export const estimateAnswer = z.object(estimate);

/** POST /transactions/estimate/sweep: one entry per transaction. */
export const sweepEstimateAnswer = z.object({
  amount: uint64.meta({ description: 'Total in atomic units' }),
  fee: uint64.meta({ description: 'Total in atomic units' }),
  transactions: z.array(z.object({ amount, ...estimate })),
});

/** POST /sends/pause */
export const pauseBody = z.object({
  reason: z.string().max(200).optional().meta({ description: 'Shown in GET /status and in error 1008' }),
});

export const preparedParams = z.object({ hash });
