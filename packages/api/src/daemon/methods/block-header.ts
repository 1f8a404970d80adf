import { z } from 'zod';
import { hash, integer, statusOk, uint64 } from '../../scalars';

/** The `block_header` of the header methods. */
export const blockHeaderObject = z.object({
  block_size: integer,
  depth: integer.meta({ description: 'Blocks above it' }),
  difficulty: uint64.meta({ description: 'Its own' }),
  hash,
  height: integer.meta({ description: 'An index' }),
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  num_txes: integer.meta({ description: 'With the coinbase transaction' }),
  orphan_status: z.boolean().meta({ description: 'True for a block beside the main chain' }),
  prev_hash: hash,
  reward: uint64.meta({ description: 'The sum of the coinbase outputs' }),
  timestamp: uint64,
});

/** The result of the three header methods. */
export const blockHeaderResult = z.object({ block_header: blockHeaderObject, status: statusOk });
