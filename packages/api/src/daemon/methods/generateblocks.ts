import { z } from 'zod';
import { addressText, hash, integer, statusOk } from '../../scalars';

export const generateBlocksParams = z.object({
  wallet_address: addressText,
  count: integer.default(1).meta({ description: 'Blocks to mine, 1 to 1000' }),
  timestamp: integer.optional().meta({ description: 'Unix seconds of the first block; now when left out' }),
  spacing: integer.default(60).meta({ description: 'Seconds between two blocks' }),
});

export const generateBlocksResult = z.object({
  hashes: z.array(hash),
  height: integer.meta({ description: 'A count' }),
  status: statusOk,
});
