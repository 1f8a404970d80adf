import { z } from 'zod';
import { hash, integer, statusOk, uint64 } from '../../scalars';

export const randomOutsRequest = z.object({
  outs_count: integer.meta({ description: 'Outputs wanted for each amount' }),
  amounts: z.array(uint64).meta({ description: 'Amounts in atomic units, repeats allowed' }),
});

/** Each amount in the order asked, with at most as many outputs as were asked for. */
export const randomOutsAnswer = z.object({
  outs: z.array(z.object({ amount: uint64, outs: z.array(z.object({ global_amount_index: integer, out_key: hash })) })),
  status: statusOk,
});
