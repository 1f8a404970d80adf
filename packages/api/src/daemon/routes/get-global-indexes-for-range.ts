import { z } from 'zod';
import { hash, integer, statusOk } from '../../scalars';

export const globalIndexesRequest = z.object({
  startHeight: integer.meta({ description: 'An index' }),
  endHeight: integer.meta({ description: 'An index, exclusive' }),
});

/** One entry a transaction, coinbases too: its hash and the global index of each of its outputs. */
export const globalIndexesAnswer = z.object({
  indexes: z.array(z.object({ key: hash, value: z.array(integer) })),
  status: statusOk,
});
