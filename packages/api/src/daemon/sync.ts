import { z } from 'zod';
import { globalIndex, hash, hex, integer, statusOk, uint64 } from '../scalars';

/** Fields of `/getwalletsyncdata` and `/getrawblocks`: the first block and the number of blocks. */
export const syncRange = {
  blockHashCheckpoints: z.array(hash).default([]).meta({
    description: 'Block hashes the client has, newest first. The response starts after the first one on the main chain',
  }),
  startHeight: integer.default(0).meta({ description: 'Block index. Used if no checkpoint is on the main chain' }),
  startTimestamp: integer.default(0).meta({ description: 'Unix seconds. Used if startHeight is 0' }),
  blockCount: integer.default(100).meta({ description: '0 means 100' }),
};

/** The top block. Sent if there are no further blocks. */
export const topBlock = z.object({ hash, height: integer });

export const rawBlocksRequest = z.object({
  ...syncRange,
  skipCoinbaseTransactions: z
    .boolean()
    .default(false)
    .meta({ description: 'Omits blocks that have only a coinbase transaction' }),
  globalIndexes: z.boolean().default(false).meta({ description: 'Adds the global indexes of the outputs' }),
});

/** One list for each transaction of a block, coinbase first. */
export const globalIndexLists = z.array(z.array(globalIndex));

export const rawBlocksResponse = z.object({
  items: z.array(
    z.object({
      block: hex,
      transactions: z.array(hex),
      globalIndexes: globalIndexLists
        .optional()
        .meta({ description: 'One list for each transaction, coinbase first. Sent on request' }),
    }),
  ),
  status: statusOk,
  synced: z.boolean().meta({ description: 'Whether items is empty' }),
  topBlock: topBlock.optional(),
});

export const walletSyncDataRequest = z.object({
  ...syncRange,
  encoding: z.enum(['hex', 'base64']).default('hex').meta({ description: 'Encoding of hashes and keys' }),
  skipCoinbaseTransactions: z.boolean().default(false),
  skipInputKeyOffsets: z.boolean().default(false).meta({ description: 'Omits key_offsets of the inputs' }),
  skipEmptyBlocks: z
    .boolean()
    .default(false)
    .meta({ description: 'Omits blocks without transactions. Requires skipCoinbaseTransactions' }),
  endHeight: integer.default(0).meta({ description: 'Block index, exclusive. 0: no end' }),
});

/** 32 bytes in the requested encoding. */
const key = z.string().regex(/^(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/);

const walletTransactionFields = {
  hash: key,
  outputs: z.array(z.object({ amount: uint64, key })),
  txPublicKey: key,
  unlockTime: uint64,
};

const walletKeyInput = z.object({
  amount: uint64,
  k_image: key,
  key_offsets: z.array(integer).optional().meta({ description: 'Relative offsets, as stored' }),
});

const walletTransaction = z.object({
  ...walletTransactionFields,
  inputs: z.array(z.union([walletKeyInput, z.strictObject({})])),
  paymentID: z
    .string()
    .regex(/^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/)
    .meta({ description: 'Hex in both encodings: 64 digits, 16 encrypted digits, or empty' }),
});

/** The parts of blocks that a wallet scans. */
export const walletSyncDataResponse = z.object({
  items: z.array(
    z.object({
      blockHash: key,
      blockHeight: integer.meta({ description: 'Block index' }),
      blockTimestamp: uint64,
      coinbaseTX: z
        .object(walletTransactionFields)
        .optional()
        .meta({ description: 'Missing if coinbase transactions are skipped' }),
      transactions: z.array(walletTransaction),
    }),
  ),
  scannedToHeight: integer.optional().meta({ description: 'Index of the last scanned block. Missing if 0' }),
  status: statusOk,
  synced: z.boolean().meta({ description: 'Whether items is empty' }),
  topBlock: topBlock.optional(),
});

export const randomOutsRequest = z.object({
  outs_count: integer.meta({ description: 'Outputs for each amount' }),
  amounts: z.array(uint64).meta({ description: 'Atomic units. An amount may be repeated' }),
});

/** The amounts in the order of the request, each with at most `outs_count` outputs. */
export const randomOutsResponse = z.object({
  outs: z.array(z.object({ amount: uint64, outs: z.array(z.object({ global_amount_index: integer, out_key: hash })) })),
  status: statusOk,
});

export const outputIndexesRequest = z.object({ txid: hash.meta({ description: 'Hash of a main-chain transaction' }) });

export const outputIndexesResponse = z.object({
  o_indexes: z.array(integer).meta({ description: 'Global index of each output, in order' }),
  status: statusOk,
});

export const globalIndexesRequest = z.object({
  startHeight: uint64.meta({ description: 'Block index' }),
  endHeight: uint64.meta({ description: 'Block index, exclusive' }),
});

/** One entry for each transaction, coinbases included: hash, and global index of each output. */
export const globalIndexesResponse = z.object({
  indexes: z.array(z.object({ key: hash, value: z.array(globalIndex) })),
  status: statusOk,
});
