import { z } from 'zod';
import { hash, integer, uint64 } from '../../scalars';

/** A main-chain block in one line of the explorer's list. */
export const blockRowObject = z.object({
  cumul_size: integer.meta({ description: 'Bytes of the block with its transactions' }),
  difficulty: uint64.meta({ description: 'Its own' }),
  hash,
  height: integer.meta({ description: 'An index' }),
  timestamp: uint64,
  tx_count: integer.meta({ description: 'With the coinbase transaction' }),
});
