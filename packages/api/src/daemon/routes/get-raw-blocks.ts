import { z } from 'zod';
import { hex, statusOk } from '../../scalars';
import { syncRange, topBlock } from './sync-range';

export const rawBlocksRequest = z.object({
  ...syncRange,
  skipCoinbaseTransactions: z
    .boolean()
    .default(false)
    .meta({ description: 'Leaves out blocks that hold nothing but their coinbase transaction' }),
});

export const rawBlocksAnswer = z.object({
  items: z.array(z.object({ block: hex, transactions: z.array(hex) })),
  status: statusOk,
  synced: z.boolean().meta({ description: 'True when items is empty' }),
  topBlock: topBlock.optional(),
});
