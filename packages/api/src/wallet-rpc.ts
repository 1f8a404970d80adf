import { z } from 'zod';
import type { ApiError } from './errors';
import { decimal, integer, uint64 } from './scalars';
import { idempotencyKey, pauseState } from './wallet-api';

/** A response: `result` or `error`. */
export const walletRpcResponse = z.object({
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

/** A hash of 64 hex digits in either case. The method validates it, because the error is an application error. */
export const ofTransaction = z.object({ transactionHash: z.string() });

export const transactionHashList = z.object({ transactionHashes: z.array(z.string()) });

export const addressList = z.object({ addresses: z.array(z.string()) });

/** Start of the scan for added keys. */
const scanFrom = {
  newAddress: z.boolean().optional().meta({ description: 'Scan from the current height on; excludes scanHeight' }),
  scanHeight: integer.optional().meta({ description: 'The first block to scan for a given key. Default 0' }),
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

/** Results. Fields are in ascending order, as the C++ program prints them. */

export const balanceResult = z.object({ availableBalance: uint64, lockedAmount: uint64 });

export const statusResult = z.object({
  blockCount: integer.meta({ description: 'Blocks that the wallet has scanned; 1 while converting' }),
  converting: z
    .literal(true)
    .optional()
    .meta({ description: 'Present while no block of the chain has confirmed the history of a converted container' }),
  knownBlockCount: integer.meta({ description: 'Blocks of the network, as the node reports' }),
  lastBlockHash: z.string().meta({ description: 'Hash of the last block of the wallet' }),
  localDaemonBlockCount: integer.meta({ description: 'Blocks of the node' }),
  peerCount: integer,
  sendsPaused: pauseState
    .optional()
    .meta({ description: 'Why sends are refused with error 1008; absent while they are not paused' }),
});

const signed = z.bigint();

export const transfer = z.object({
  address: z.string().meta({ description: 'Empty for addresses that are not in the container' }),
  amount: signed.meta({ description: 'Received amounts are positive, sent amounts are negative' }),
  type: integer.meta({ description: '2: change; 0: everything else' }),
});

export const transactionObject = z.object({
  amount: signed.meta({ description: 'Received minus spent by the container' }),
  blockIndex: integer.meta({ description: '4294967295 while unconfirmed' }),
  extra: z.string().meta({ description: 'Hex; empty if no node could return it' }),
  fee: uint64,
  isBase: z.boolean(),
  paymentId: z.string(),
  state: integer.meta({ description: '0: unconfirmed or in a block; 2: deleted; 3: delayed' }),
  timestamp: integer.meta({ description: 'Unix seconds of the block; 0 while unconfirmed' }),
  transactionHash: z.string(),
  transfers: z.array(transfer),
  unlockTime: uint64,
  verified: z.literal(false).optional().meta({
    description: 'Present while the block is not verified by its bytes: received amounts are locked until then',
  }),
});

const items = <Item extends z.ZodRawShape>(item: Item) =>
  z.object({ items: z.array(z.object({ blockHash: z.string(), ...item })) });

export const hashItems = items({ transactionHashes: z.array(z.string()) });

export const transactionItems = items({ transactions: z.array(transactionObject) });

export const sentResult = z.object({ anonymity: integer, fee: uint64, transactionHash: z.string() });

export const delayedResult = z.object({ fee: uint64, transactionHash: z.string() });

export const feeInfo = z.object({ address: z.string(), amount: uint64 });

export const spendKeys = z.object({ spendPublicKey: z.string(), spendSecretKey: z.string() });

export const createdAddress = z.object({ address: z.string() });

export const viewKeyResult = z.object({ viewSecretKey: z.string() });

export const mnemonicResult = z.object({ mnemonicSeed: z.string() });

export const blockHashesResult = z.object({ blockHashes: z.array(z.string()) });

export const oneTransactionResult = z.object({ transaction: transactionObject });

export const integratedResult = z.object({ integratedAddress: z.string() });

/** An error of the wallet over JSON-RPC: always status 200, in the envelope. */
export interface WalletRpcError extends ApiError {
  readonly status: 200;
  readonly code: number;
  /** `data.application_code`. Error categories of the C++ program use the same numbers; only the text is unique. */
  readonly application?: number;
}

/** The envelope's code of every application error. */
const APPLICATION = -32_700;

const envelope = (code: number, text: string, when: string): WalletRpcError => ({ status: 200, code, text, when });

const own = (application: number, text: string, when: string): WalletRpcError => {
  return { status: 200, code: APPLICATION, application, text, when };
};

/** Errors of the envelope. */
export const walletRpcEnvelopeErrors = {
  parse: envelope(-32_700, 'Parse error', 'The body is not JSON, or is empty.'),
  notAnObject: envelope(-32_001, 'JsonValue type is not OBJECT', 'The body is JSON, but not an object.'),
  password: envelope(-32_604, 'Invalid or no rpc password', 'The password is missing, is not a string, or is wrong.'),
  noMethod: envelope(-3_600, 'Invalid Request', 'The method is missing or is not a string.'),
  unknownMethod: envelope(-32_601, 'Method not found', 'The method does not exist.'),
  params: envelope(
    -32_600,
    'Invalid Request',
    'The params are not an object, a required one is missing or has a wrong type, or two exclude each other.',
  ),
  unexpected: envelope(-32_001, '{text}', 'Any other failure.'),
} as const;

/** Every application error. Numbers below 1000 are those of the C++ program. */
export const walletRpcErrors = {
  wrongKey: own(1, 'Wrong key format', 'A key is not 64 hex digits.'),
  wrongPaymentId: own(2, 'Wrong payment id format', 'The payment id is neither 16 nor 64 hex digits.'),
  wrongHash: own(3, 'Wrong block id format', 'A hash is not 64 hex digits.'),
  unknownObject: own(4, 'Requested object not found', 'The block or delayed transaction does not exist.'),
  duplicateKey: own(5, 'Duplicate key', 'The list contains a key twice.'),
  keysNotDeterministic: own(
    6,
    'Keys not deterministic',
    'The view key is not derived from the spend key, so no seed encodes both.',
  ),

  internalError: own(5, 'Internal error occurred', 'The extra of a delayed transaction is not hex.'),
  tooFewDecoys: own(6, 'MixIn count is too big', 'The node has too few outputs of an amount.'),
  badAddress: own(
    7,
    'Bad address',
    'An address is not a standard address of this network, or a source address is not in the container.',
  ),
  tooLarge: own(8, 'Transaction size is too big', 'The transaction does not fit into a block.'),
  wrongAmount: own(9, 'Wrong amount', 'An amount exceeds the money supply or the unlocked balance.'),
  sumOverflow: own(10, 'Sum overflow', 'The sum of the amounts is 2^64 or more.'),
  nothingToSend: own(11, 'The destination is empty', 'There are no transfers, or the amount of one is 0.'),
  cannotCancel: own(12, 'Impossible to cancel transaction', 'The transaction was already sent or deleted.'),
  cannotTransfer: own(15, 'Transaction transfer impossible', 'The transaction was already sent or deleted.'),
  feeTooSmall: own(17, 'Transaction fee is too small', 'The fee is below the minimum of the network.'),
  cannotMakeKey: own(18, 'Cannot generate new key', 'The secret key is not a valid scalar of the curve.'),
  addressExists: own(20, 'Address already exists', 'The container already has the key.'),
  trackingMode: own(21, 'The wallet is in tracking mode', 'The container has no secret spend keys.'),
  wrongParameters: own(22, 'Wrong parameters passed', 'The values do not fit the container or the chain.'),
  objectNotFound: own(23, 'Object not found', 'The container has no such address or transaction.'),
  walletNotFound: own(24, 'Requested wallet not found', 'The address is not in this container.'),
  changeAddressRequired: own(
    25,
    'Change address required',
    'Several addresses are spent from, and changeAddress is missing.',
  ),
  changeAddressNotFound: own(26, 'Change address not found', 'The change address is not in this container.'),
  badPaymentId: own(
    29,
    'Wrong payment id format',
    'The payment id of a send is neither 16 nor 64 hex digits, or a short one is used with several receivers.',
  ),
  badExtra: own(30, 'Wrong transaction extra format', 'The extra is not hex.'),
  mixinTooSmall: own(31, 'Mixin below minimum allowed threshold', 'The anonymity is below the minimum.'),
  mixinTooBig: own(32, 'Mixin above maximum allowed threshold', 'The anonymity is above the maximum.'),
  conflictingPaymentIds: own(
    33,
    "Multiple conflicting payment ID's were specified via the use of integrated addresses",
    'The request contains two different payment ids.',
  ),
  extraTooLarge: own(34, 'Transaction extra too large', 'The extra field would have 1024 bytes or more.'),
  tooManyOutputs: own(
    35,
    'Transaction has an excessive number of outputs for the input count',
    'The transaction would have more than 90 outputs.',
  ),

  nodeRefused: own(5, 'Internal node error', 'The node rejected the transaction.'),
  nodeAway: own(7, "Can't connect to daemon", 'No node can be reached.'),
  nodeTimeout: own(
    8,
    'Operation timed out',
    'The node may have accepted the transaction. Its inputs stay locked until the outcome is known.',
  ),

  noSuchFile: own(
    2,
    'No such file or directory',
    'The folder does not exist, or the path is outside the folder of the container.',
  ),
  cannotWrite: own(5, '{text}', 'The file cannot be written; number and text are those of the operating system.'),

  idempotencyKeyReused: own(
    1002,
    'This idempotency key was already used with another request.',
    'The key was used with other params.',
  ),
  idempotencyKeyUnderWay: own(
    1003,
    'A request with this idempotency key is in progress, or its outcome is not known yet. Try again later.',
    'The outcome of the first request will be known once the wallet has scanned the chain.',
  ),
  transactionGivenUp: own(
    1006,
    'Transaction {hash} was given up: {reason}. Send again with another key.',
    'The transaction that was sent with this idempotency key is in no block and is no longer submitted.',
  ),
  refusedTransactionUnresolved: own(
    1007,
    'Transaction {hash} of these addresses was refused or given up and may still be mined. Wait for the next block, ' +
      'then try again.',
    'A send must spend one of the inputs of that transaction, but the pool of the node or another send uses all of them.',
  ),
  sendsPaused: own(
    1008,
    'Sends are paused: {reason}. They go on when the operator resumes them.',
    'Sends were paused by pauseSends, or by the wallet because nodes disagree or its database is damaged.',
  ),
  notSynchronized: own(
    1009,
    'The wallet is not synchronized: it is more than 20 blocks behind its node, or an old file is still converting. ' +
      'Wait until it has caught up.',
    'The wallet is more than 20 blocks behind its node, or still confirms the history of a converted container.',
  ),
  implausibleNodeHeight: own(
    1010,
    'The node claims height {claimed}, but the chain cannot be above {plausible} yet. Connect another node.',
    'Mainnet only: the node reports more blocks than can have been mined since the last block of the wallet.',
  ),
  walletDatabaseDamaged: own(
    1011,
    'The wallet database is damaged or outdated: {reason}. Restore a backup, or resume sends to continue without the lost data.',
    'The wallet database beside the container cannot be read, or (for a new address) is missing or older than the container.',
  ),
} as const satisfies Record<string, WalletRpcError>;
