import { z } from 'zod';
import { hash, integer, statusOk } from '../../scalars';

export const paymentIdParams = z.object({
  paymentId: z.string().meta({ description: '64 hex digits in either case' }),
});

export const paymentIdResult = z.object({
  status: statusOk,
  totalCount: integer.meta({ description: 'How many there are, listed or not' }),
  transactionHashes: z
    .array(hash)
    .meta({ description: 'Those of the chain in its order, then those of the pool; at most --rpc-max-block-count' }),
  truncated: z.boolean().meta({ description: 'Whether some are not listed' }),
});
