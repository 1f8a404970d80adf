import { z } from 'zod';
import { hash, integer, statusOk, uint64 } from '../../scalars';
import { detailedTransactionObject } from '../records/detailed-transaction';
import { queryBlocksMembers, queryBlocksPlace } from './query-blocks';

export const queryBlocksDetailedRequest = z.object({
  ...queryBlocksMembers,
  blockCount: integer.default(100).meta({
    description: 'The most ids, and again the most whole blocks; 0 and more than 10000 mean 10000, 1 means 2',
  }),
});

/** A block; of one that is sent as its id alone, everything else is 0 or empty. */
export const detailedBlockObject = z.object({
  alreadyGeneratedCoins: z.string().regex(/^\d+$/).meta({ description: 'Coins in existence after it, in decimal' }),
  alreadyGeneratedTransactions: integer,
  baseReward: uint64.meta({ description: 'Before any penalty and without fees' }),
  blockSize: integer.meta({ description: 'Bytes of the block and its transactions' }),
  difficulty: uint64.meta({ description: 'Its own' }),
  hash,
  index: integer,
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  prevBlockHash: hash,
  reward: uint64.meta({ description: 'The sum of the coinbase outputs' }),
  sizeMedian: integer.meta({ description: 'Of the sizes of the 100 blocks before it' }),
  timestamp: uint64,
  totalFeeAmount: uint64,
  transactions: z.array(detailedTransactionObject).meta({ description: 'Coinbase first' }),
  transactionsCumulativeSize: integer.meta({ description: 'Bytes of its transactions, the coinbase among them' }),
});

export const queryBlocksDetailedAnswer = z.object({
  ...queryBlocksPlace,
  blocks: z.array(detailedBlockObject),
  status: statusOk,
});
