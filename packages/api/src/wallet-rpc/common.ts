import { z } from 'zod';
import { decimal, integer, uint64 } from '../scalars';
import { idempotencyKey } from '../wallet-api/sends';

/** A request to `/json_rpc`. */
export const walletRpcRequest = z.object({
  method: z.string().meta({ description: 'The name of the method, case sensitive' }),
  params: z.looseObject({}).optional().meta({ description: 'Parameters of the method, by name' }),
  password: z.string().optional().meta({ description: 'The value of --rpc-password' }),
  id: z.unknown().optional().meta({ description: 'Echoed unchanged' }),
  jsonrpc: z.unknown().optional().meta({ description: 'Ignored' }),
});

/** A response: `result` or `error`. */
export const walletRpcAnswer = z.object({
  error: z
    .object({ code: z.int(), data: z.object({ application_code: z.int() }).optional(), message: z.string() })
    .optional(),
  id: z.unknown().optional(),
  jsonrpc: z.literal('2.0').optional(),
  result: z.unknown().optional(),
});

export const noParams = z.object({});

/** The result of a method that returns nothing. */
export const done = z.object({});

export const ofAddress = z.object({ address: z.string() });

/** 64 hex digits in either case. The method checks the format, because the error is an application error. */
export const ofTransaction = z.object({ transactionHash: z.string() });

export const transactionHashList = z.object({ transactionHashes: z.array(z.string()) });

export const addressList = z.object({ addresses: z.array(z.string()) });

/** Where the scan for added keys begins. */
const scanFrom = {
  newAddress: z.boolean().optional().meta({ description: 'Scan from the current height on; excludes scanHeight' }),
  scanHeight: integer.optional().meta({ description: 'The first block to scan. Default 0' }),
};

export const createAddressParams = z.object({
  spendSecretKey: z.string().optional(),
  spendPublicKey: z.string().optional(),
  ...scanFrom,
});

export const createAddressListParams = z.object({ spendSecretKeys: z.array(z.string()), ...scanFrom });

export const resetParams = z.object({
  scanHeight: integer.default(0).meta({ description: 'The first block to scan. Default 0' }),
});

export const exportParams = z.object({
  fileName: z.string().meta({ description: 'In the folder of the container' }),
});

export const balanceParams = z.object({
  address: z.string().default('').meta({ description: 'Default: the sum of all addresses' }),
});

export const blockHashesParams = z.object({ firstBlockIndex: integer, blockCount: integer });

/** Exactly one of `firstBlockIndex` and `blockHash`. */
export const windowParams = z.object({
  firstBlockIndex: integer.optional().meta({ description: 'Height of the first block; excludes blockHash' }),
  blockHash: z.string().optional().meta({ description: 'Hash of the first block; excludes firstBlockIndex' }),
  blockCount: integer,
  addresses: z.array(z.string()).default([]).meta({ description: 'Transactions of these addresses. Default: all' }),
  paymentId: z.string().default('').meta({ description: 'Transactions with this payment id. Default: all' }),
});

export const unconfirmedParams = z.object({
  addresses: z.array(z.string()).default([]).meta({ description: 'Transactions of these addresses. Default: all' }),
});

export const integrateParams = z.object({
  address: z.string(),
  paymentId: z.string().meta({ description: '16 or 64 hex digits' }),
});

/** Atomic units per byte. A rate below the minimum of the network is refused with feeTooSmall. */
const feeRate = decimal.refine((rate) => rate >= 0);

export const sendParams = z.object({
  transfers: z.array(z.object({ address: z.string(), amount: uint64.meta({ description: 'Atomic units' }) })),
  addresses: z.array(z.string()).default([]).meta({ description: 'Addresses to spend from. Default: all' }),
  changeAddress: z.string().default('').meta({
    description: 'Address of the container. Required if several addresses are spent from; default: the only one',
  }),
  fee: uint64.optional().meta({ description: 'Total fee in atomic units; overrides feePerByte. Default: the minimum' }),
  feePerByte: feeRate.optional().meta({ description: 'Atomic units per byte' }),
  anonymity: uint64
    .optional()
    .meta({ description: 'Decoys in each ring, limited by the network. Default: the default of the network' }),
  extra: z
    .string()
    .optional()
    .meta({ description: 'Hex of extra fields after the transaction public key; excludes paymentId' }),
  paymentId: z.string().optional().meta({ description: '16 or 64 hex digits; excludes extra' }),
  unlockTime: uint64
    .default(0n)
    .meta({ description: 'Block height or unix seconds. Default (0): the minimum of the network' }),
  idempotencyKey: idempotencyKey
    .optional()
    .meta({ description: 'A repeated request with the same key returns the first response and sends nothing' }),
});

export const sendDelayedParams = ofTransaction.extend({ idempotencyKey: idempotencyKey.optional() });

export const pauseParams = z.object({
  reason: z
    .string()
    .max(200)
    .default('the operator paused them')
    .meta({ description: 'Returned with error 1008 to each send while sends are paused' }),
});
