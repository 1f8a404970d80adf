import { z } from 'zod';
import { hash, integer } from '../../scalars';

/** The members that `/queryblockslite` and `/queryblocksdetailed` share: what the caller holds, and from which day on. */
export const queryBlocksMembers = {
  timestamp: integer
    .default(0)
    .meta({ description: 'Unix seconds; whole blocks are wanted from the first block of that UTC day on' }),
  blockIds: z
    .array(hash)
    .default([])
    .meta({ description: 'Hashes that the caller holds; the first one of the main chain is where the answer starts' }),
};

/** Where an answer lies on the main chain; indexes. */
export const queryBlocksPlace = {
  currentHeight: integer.meta({ description: 'Of the tip' }),
  fullOffset: integer.meta({ description: 'From here on blocks are sent whole; below it their ids alone' }),
  startHeight: integer.meta({ description: 'Of the first block of the answer' }),
};
