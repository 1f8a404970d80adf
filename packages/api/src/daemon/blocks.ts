import { z } from 'zod';
import { decimal, hash, hex, integer, statusOk, uint64 } from '../scalars';
import {
  detailedTransactionObject,
  transactionPrefixInfoObject,
  transactionPrefixFields,
  transactionRowObject,
} from './transactions';

/** The `block_header` of the header methods. */
export const blockHeaderObject = z.object({
  block_size: integer,
  depth: integer.meta({ description: 'Number of blocks above' }),
  difficulty: uint64.meta({ description: 'Difficulty of the block, not cumulative' }),
  hash,
  height: integer.meta({ description: 'Block index' }),
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  num_txes: integer.meta({ description: 'Includes the coinbase transaction' }),
  orphan_status: z.boolean().meta({ description: 'Whether the block is not on the main chain' }),
  prev_hash: hash,
  reward: uint64.meta({ description: 'Sum of the coinbase outputs' }),
  timestamp: uint64,
});

/** The result of the three header methods. */
export const blockHeaderResult = z.object({ block_header: blockHeaderObject, status: statusOk });

export const blockCountResult = z.object({
  count: integer.meta({ description: 'Index of the top block + 1' }),
  status: statusOk,
});

export const blockHeaderByHashParams = z.object({ hash });

export const blockHeaderByHeightParams = z.object({ height: integer.meta({ description: 'Block index' }) });

/** A main-chain block in the explorer's lists. */
export const blockRowObject = z.object({
  cumul_size: integer.meta({ description: 'Bytes of the block and its transactions' }),
  difficulty: uint64.meta({ description: 'Difficulty of the block, not cumulative' }),
  hash,
  height: integer.meta({ description: 'Block index' }),
  timestamp: uint64,
  tx_count: integer.meta({ description: 'Includes the coinbase transaction' }),
});

export const blockParams = z.object({
  hash: z.string().meta({ description: 'Hash of a main-chain block, or block index + 1 in decimal digits' }),
});

const blockObject = z.object({
  alreadyGeneratedCoins: z.string().meta({ description: 'Supply after this block, decimal digits' }),
  alreadyGeneratedTransactions: integer.meta({ description: 'Includes coinbase transactions' }),
  baseReward: uint64.meta({ description: 'Reward before the size penalty, without fees' }),
  blockSize: integer.meta({ description: 'Bytes of the block and its transactions' }),
  depth: integer.meta({ description: 'Number of blocks above' }),
  difficulty: uint64.meta({ description: 'Difficulty of the block, not cumulative' }),
  effectiveSizeMedian: integer.meta({ description: 'Median that the size penalty uses' }),
  hash,
  height: integer.meta({ description: 'Block index' }),
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  orphan_status: z.literal(false),
  penalty: decimal.meta({ description: 'Share of the base reward lost to the size penalty, 0 to 1' }),
  prev_hash: hash,
  reward: uint64.meta({ description: 'Sum of the coinbase outputs' }),
  sizeMedian: integer.meta({ description: 'Median size of the previous 100 blocks' }),
  timestamp: uint64,
  totalFeeAmount: uint64,
  transactions: z.array(transactionRowObject).meta({ description: 'Coinbase first' }),
  transactionsCumulativeSize: integer.meta({ description: 'Bytes of its transactions' }),
});

export const blockResult = z.object({ block: blockObject, status: statusOk });

export const rulesDigestParams = z.object({ height: integer.meta({ description: 'Block index' }) });

export const rulesDigestResult = z.object({
  digest: hash.meta({ description: 'SHA-256 digest of the consensus state up to and including this block' }),
  hash,
  height: integer.meta({ description: 'Block index' }),
  status: statusOk,
});

export const blocksListParams = z.object({ height: integer.meta({ description: 'Block index' }) });

export const blocksListResult = z.object({
  blocks: z.array(blockRowObject).meta({ description: 'This block and up to 30 blocks below, highest first' }),
  status: statusOk,
});

export const transactionParams = z.object({ hash });

const transactionObject = z.object({
  ...transactionPrefixFields,
  nonce: hex.meta({ description: 'Nonce field of extra (payment id, arbitrary data) without tag and length' }),
  publicKey: hex.meta({ description: 'Transaction public key. Empty if missing' }),
});

const transactionDetails = z.object({
  amount_out: uint64.meta({ description: 'Sum of the outputs' }),
  fee: uint64.meta({ description: '0 for a coinbase transaction' }),
  hash,
  mixin: integer.meta({ description: 'Size of the largest ring' }),
  paymentId: z
    .string()
    .regex(/^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/)
    .meta({ description: 'Plain, or encrypted for the receiver, or empty' }),
  paymentIdEncrypted: z.boolean(),
  size: integer.meta({ description: 'Bytes' }),
});

/** A main-chain transaction. Pool transactions are not found. */
export const transactionResult = z.object({
  block: blockRowObject,
  status: statusOk,
  tx: transactionObject,
  txDetails: transactionDetails,
});

/** Fields of `/queryblockslite` and `/queryblocksdetailed`. */
export const queryBlocksFields = {
  timestamp: integer
    .default(0)
    .meta({ description: 'Unix seconds. Full blocks begin with the first block of this UTC day' }),
  blockIds: z
    .array(hash)
    .default([])
    .meta({ description: 'Block hashes the client has. The response starts at the first one on the main chain' }),
};

/** Position of a response on the main chain, as block indexes. */
export const queryBlocksPlace = {
  currentHeight: integer.meta({ description: 'Index of the top block' }),
  fullOffset: integer.meta({ description: 'Blocks from here on are full, earlier ones have only their hash' }),
  startHeight: integer.meta({ description: 'Index of the first block of the response' }),
};

export const queryBlocksLiteRequest = z.object(queryBlocksFields);

/** A block. Both lists are empty if only the hash is sent. */
export const shortBlockObject = z.object({
  'blockShortInfo.block': z
    .array(integer)
    .meta({ description: 'Bytes of the block with its coinbase transaction, 0 to 255 each' }),
  'blockShortInfo.blockId': hash,
  'blockShortInfo.txPrefixes': z.array(transactionPrefixInfoObject).meta({ description: 'Without the coinbase' }),
});

export const queryBlocksLiteResponse = z.object({
  ...queryBlocksPlace,
  items: z.array(shortBlockObject),
  status: statusOk,
});

export const queryBlocksDetailedRequest = z.object({
  ...queryBlocksFields,
  blockCount: integer.default(100).meta({
    description: 'Max hashes, and max full blocks. 0 and more than 10000 mean 10000, 1 means 2',
  }),
});

/** A block. All other fields are 0 or empty if only the hash is sent. */
export const detailedBlockObject = z.object({
  alreadyGeneratedCoins: z.string().regex(/^\d+$/).meta({ description: 'Supply after this block, decimal digits' }),
  alreadyGeneratedTransactions: integer,
  baseReward: uint64.meta({ description: 'Reward before the size penalty, without fees' }),
  blockSize: integer.meta({ description: 'Bytes of the block and its transactions' }),
  difficulty: uint64.meta({ description: 'Difficulty of the block, not cumulative' }),
  hash,
  index: integer,
  major_version: integer,
  minor_version: integer,
  nonce: integer,
  prevBlockHash: hash,
  reward: uint64.meta({ description: 'Sum of the coinbase outputs' }),
  sizeMedian: integer.meta({ description: 'Median size of the previous 100 blocks' }),
  timestamp: uint64,
  totalFeeAmount: uint64,
  transactions: z.array(detailedTransactionObject).meta({ description: 'Coinbase first' }),
  transactionsCumulativeSize: integer.meta({ description: 'Bytes of its transactions with the coinbase' }),
});

export const queryBlocksDetailedResponse = z.object({
  ...queryBlocksPlace,
  blocks: z.array(detailedBlockObject),
  status: statusOk,
});
