import { z } from 'zod';
import { integer, statusOk } from '../../scalars';
import { blockRowObject } from '../records/block-row';

export const blocksListParams = z.object({ height: integer.meta({ description: 'An index' }) });

export const blocksListResult = z.object({
  blocks: z.array(blockRowObject).meta({ description: 'That block and up to 30 below it, highest first' }),
  status: statusOk,
});
