import { z } from 'zod';
import { hash, hex, integer, statusOk, uint64 } from '../scalars';

const coinbaseInput = z.object({
  type: z.literal('ff'),
  value: z.object({ height: integer.meta({ description: 'Block index' }) }),
});

const keyInput = z.object({
  type: z.literal('02'),
  value: z.object({
    amount: uint64,
    k_image: hash,
    key_offsets: z.array(integer).meta({ description: 'Relative offsets, as stored' }),
  }),
});

const output = z.object({
  amount: uint64,
  target: z.object({ data: z.object({ key: hash }), type: z.literal('02') }),
});

/** Fields of {@link transactionPrefixObject}. */
export const transactionPrefixFields = {
  extra: hex,
  unlock_time: uint64,
  version: integer,
  vin: z.array(z.union([coinbaseInput, keyInput])),
  vout: z.array(output),
};

/** A transaction without its signatures: `txPrefix` of the pool and block queries, `tx` of the explorer. */
export const transactionPrefixObject = z.object(transactionPrefixFields);

/** A transaction of the pool and block queries, without signatures. */
export const transactionPrefixInfoObject = z.object({
  'transactionPrefixInfo.txHash': hash,
  'transactionPrefixInfo.txPrefix': transactionPrefixObject,
});

/** A transaction in the explorer's lists. */
export const transactionRowObject = z.object({
  amount_out: uint64.meta({ description: 'Sum of the outputs' }),
  fee: uint64.meta({ description: '0 for a coinbase transaction' }),
  hash,
  size: integer.meta({ description: 'Bytes' }),
});

const detailedCoinbaseInput = z.object({
  type: z.literal('ff'),
  data: z.object({
    amount: uint64.meta({ description: 'Sum of the outputs' }),
    input: z.object({ height: integer.meta({ description: 'Block index' }) }),
  }),
});

const detailedKeyInput = z.object({
  type: z.literal('02'),
  data: z.object({
    input: z.object({
      amount: uint64,
      k_image: hash,
      key_offsets: z.array(integer).meta({ description: 'Relative offsets, as stored' }),
    }),
    mixin: integer.meta({ description: 'Size of the ring' }),
    output: z
      .object({
        transactionHash: hash,
        number: integer.meta({ description: 'Index of the output in that transaction' }),
      })
      .meta({ description: 'Last output of the ring' }),
  }),
});

const detailedOutput = z.object({
  globalIndex: integer,
  output: z.object({
    amount: uint64,
    target: z.object({ data: z.object({ key: hash }), type: z.literal('02') }),
  }),
});

const detailedExtra = z.object({
  nonce: z.array(integer).meta({ description: 'Bytes of the nonce field, 0 to 255 each' }),
  publicKey: hash.meta({ description: 'Zeros if missing' }),
  raw: hex,
});

/** A main-chain transaction in all details. */
export const detailedTransactionObject = z.object({
  blockHash: hash,
  blockIndex: integer,
  extra: detailedExtra,
  fee: uint64.meta({ description: '0 for a coinbase transaction' }),
  hash,
  inBlockchain: z.boolean(),
  inputs: z.array(z.union([detailedCoinbaseInput, detailedKeyInput])),
  mixin: integer.meta({ description: 'Size of the largest ring' }),
  outputs: z.array(detailedOutput),
  paymentId: hash.meta({ description: 'Zeros if missing' }),
  signatures: z
    .array(z.object({ first: integer.meta({ description: 'Index of the input' }), second: hex }))
    .meta({ description: 'One for each output of each ring' }),
  signaturesSize: integer.meta({ description: 'Number of signed rings' }),
  size: integer.meta({ description: 'Bytes' }),
  timestamp: uint64.meta({ description: 'Timestamp of the block' }),
  totalInputsAmount: uint64,
  totalOutputsAmount: uint64,
  unlockTime: uint64,
});

export const poolTransactionsResult = z.object({
  status: statusOk,
  transactions: z.array(transactionRowObject).meta({ description: 'In mining order' }),
});

export const paymentIdParams = z.object({
  paymentId: z.string().meta({ description: '64 hex digits' }),
});

export const paymentIdResult = z.object({
  status: statusOk,
  totalCount: integer.meta({
    description: 'Number of transactions with this payment id, also if the list is truncated',
  }),
  transactionHashes: z
    .array(hash)
    .meta({ description: 'Main chain in its order, then the pool. At most --rpc-max-block-count' }),
  truncated: z.boolean().meta({ description: 'Whether the list is incomplete' }),
});

export const transactionsStatusRequest = z.object({ transactionHashes: z.array(hash) });

/** Each requested hash is in exactly one of the three lists, once. */
export const transactionsStatusResponse = z.object({
  status: statusOk,
  transactionsInBlock: z.array(hash),
  transactionsInPool: z.array(hash),
  transactionsUnknown: z.array(hash),
});

export const sendRawTransactionRequest = z.object({
  tx_as_hex: z.string().meta({ description: 'Serialized transaction, hex' }),
});

/** Also sent with HTTP status 200 for a rejected transaction: `error` has the reason. */
export const sendRawTransactionResponse = z.object({
  error: z.string().meta({ description: 'Empty if the pool accepted the transaction' }),
  status: z.enum(['OK', 'Failed']),
  transactionHash: hash.optional().meta({ description: 'Missing if the request is not hex' }),
});

export const poolChangesRequest = z.object({
  tailBlockId: hash.meta({ description: 'Hash of the top block of the client' }),
  knownTxsIds: z.array(hash).meta({ description: 'Hashes of the pool transactions the client has' }),
});

export const poolChangesResponse = z.object({
  addedTxs: z
    .array(transactionPrefixInfoObject)
    .meta({ description: 'Pool transactions the client lacks. If there are too many, those with the best fees' }),
  deletedTxsIds: z.array(hash).meta({ description: 'Transactions of knownTxsIds that are not in the pool' }),
  isTailBlockActual: z.boolean().meta({ description: 'Whether tailBlockId is the top block' }),
  status: statusOk,
});
