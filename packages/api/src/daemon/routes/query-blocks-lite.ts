import { z } from 'zod';
import { hash, integer, statusOk } from '../../scalars';
import { transactionPrefixInfoObject } from '../records/transaction-prefix-info';
import { queryBlocksMembers, queryBlocksPlace } from './query-blocks';

export const queryBlocksLiteRequest = z.object(queryBlocksMembers);

/** A block; of one that is sent as its id alone, both lists are empty. */
export const shortBlockObject = z.object({
  'blockShortInfo.block': z
    .array(integer)
    .meta({ description: 'The bytes of the block with its coinbase transaction, 0 to 255 each' }),
  'blockShortInfo.blockId': hash,
  'blockShortInfo.txPrefixes': z
    .array(transactionPrefixInfoObject)
    .meta({ description: 'Without the coinbase transaction' }),
});

export const queryBlocksLiteAnswer = z.object({
  ...queryBlocksPlace,
  items: z.array(shortBlockObject),
  status: statusOk,
});
