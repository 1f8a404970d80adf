import { z } from 'zod';
import { hash, integer } from '../../scalars';

/** The members that `/getwalletsyncdata` and `/getrawblocks` share: where to start and how much. */
export const syncRange = {
  blockHashCheckpoints: z
    .array(hash)
    .default([])
    .meta({ description: 'Hashes that the caller holds, newest first; the first known one says where to start' }),
  startHeight: integer.default(0).meta({ description: 'An index; counts when no checkpoint is known' }),
  startTimestamp: integer.default(0).meta({ description: 'Unix seconds; counts when startHeight is 0' }),
  blockCount: integer.default(100).meta({ description: '0 means 100' }),
};

/** Where the main chain ends; told when nothing is left to send. */
export const topBlock = z.object({ hash, height: integer });
