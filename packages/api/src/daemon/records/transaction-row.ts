import { z } from 'zod';
import { hash, integer, uint64 } from '../../scalars';

/** A transaction in one line of the explorer's lists. */
export const transactionRowObject = z.object({
  amount_out: uint64.meta({ description: 'The sum of its outputs' }),
  fee: uint64.meta({ description: '0 for a coinbase transaction' }),
  hash,
  size: integer.meta({ description: 'Bytes' }),
});
