import { z } from 'zod';
import { hash, statusOk } from '../../scalars';
import { transactionPrefixInfoObject } from '../records/transaction-prefix-info';

export const poolChangesRequest = z.object({
  tailBlockId: hash.meta({ description: 'The last block that the caller holds' }),
  knownTxsIds: z.array(hash).meta({ description: 'The transactions of the pool as the caller knows it' }),
});

export const poolChangesAnswer = z.object({
  addedTxs: z
    .array(transactionPrefixInfoObject)
    .meta({ description: 'What the pool holds beyond the known ones; of very many only the best' }),
  deletedTxsIds: z.array(hash).meta({ description: 'The known ones that the pool does not hold' }),
  isTailBlockActual: z.boolean().meta({ description: 'True when the caller holds the tip' }),
  status: statusOk,
});
