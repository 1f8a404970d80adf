import { z } from 'zod';
import { decimal, hash, integer, statusOk, uint64 } from '../../scalars';
import { transactionRowObject } from '../records/transaction-row';

export const blockParams = z.object({
  hash: z
    .string()
    .meta({ description: 'The hash of a main-chain block in either case, or its height as a count in decimal digits' }),
});

const blockObject = z.object({
  alreadyGeneratedCoins: z.string().meta({ description: 'Coins that exist with this block, in decimal digits' }),
  alreadyGeneratedTransactions: integer.meta({ description: 'With coinbase transactions' }),
  baseReward: uint64.meta({ description: 'Before any penalty and without fees' }),
  blockSize: integer.meta({ description: 'Bytes of the block with its transactions' }),
  depth: integer.meta({ description: 'Blocks above it' }),
  difficulty: uint64.meta({ description: 'Its own' }),
  effectiveSizeMedian: integer.meta({ description: 'What the penalty is reckoned from' }),
  hash,
  height: integer.meta({ description: 'An index' }),
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  orphan_status: z.literal(false),
  penalty: decimal.meta({ description: 'The part of the base reward that its size has cost, 0 to 1' }),
  prev_hash: hash,
  reward: uint64.meta({ description: 'The sum of the coinbase outputs' }),
  sizeMedian: integer.meta({ description: 'Of the 100 blocks before it' }),
  timestamp: uint64,
  totalFeeAmount: uint64,
  transactions: z.array(transactionRowObject).meta({ description: 'The coinbase transaction first' }),
  transactionsCumulativeSize: integer.meta({ description: 'Bytes of the transactions' }),
});

export const blockResult = z.object({ block: blockObject, status: statusOk });
