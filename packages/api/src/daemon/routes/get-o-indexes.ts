import { z } from 'zod';
import { hash, integer, statusOk } from '../../scalars';

export const outputIndexesRequest = z.object({ txid: hash.meta({ description: 'A transaction of the main chain' }) });

export const outputIndexesAnswer = z.object({
  o_indexes: z.array(integer).meta({ description: 'The global index of each output, in order' }),
  status: statusOk,
});
