import { z } from 'zod';
import { hash, integer, statusOk, uint64 } from '../../scalars';

export const globalIndexesRequest = z.object({
  startHeight: uint64.meta({ description: 'An index' }),
  endHeight: uint64.meta({ description: 'An index, exclusive' }),
});

/** One entry a transaction, coinbases too: its hash and the global index of each of its outputs. */
export const globalIndexesAnswer = z.object({
  indexes: z.array(z.object({ key: hash, value: z.array(integer) })),
  status: statusOk,
});
