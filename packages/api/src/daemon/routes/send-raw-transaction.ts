import { z } from 'zod';
import { hash } from '../../scalars';

export const sendRawTransactionRequest = z.object({
  tx_as_hex: z.string().meta({ description: 'The transaction in hex' }),
});

/** Status 200 also for a transaction that was refused: `error` says why. */
export const sendRawTransactionAnswer = z.object({
  error: z.string().meta({ description: 'Empty when the pool has taken it' }),
  status: z.enum(['OK', 'Failed']),
  transactionHash: hash.optional().meta({ description: 'Left out when what was sent is no hex' }),
});
