import { z } from 'zod';
import { decimal, hash, integer, uint64 } from './scalars';

/** The body of an error that has a body. */
export const walletErrorBody = z.object({ errorCode: integer, errorMessage: z.string() });

/** A response without a body. */
export const noContent = z.undefined();

/** A standard address in a path; an integrated address does not match. */
export const pathAddress = z.string().regex(/^Wrkz[a-zA-Z0-9]{94}$/);

/** A payment ID in a path: 16 or 64 hex digits. */
export const pathPaymentId = z.string().regex(/^(?:[a-fA-F0-9]{16}|[a-fA-F0-9]{64})$/);

/** A block height in a path; leading zeros are allowed. */
export const pathHeight = z.string().regex(/^\d+$/);

const port = z.codec(z.bigint().min(0n).max(65_535n), z.int(), { decode: Number, encode: BigInt });

/** The optional node of a request. */
export const nodeRequestFields = {
  daemonHost: z.string().optional().meta({ description: 'Default 127.0.0.1' }),
  daemonPort: port.optional().meta({ description: 'Default: the RPC port of the network' }),
  daemonSSL: z.boolean().optional().meta({ description: 'Whether to use TLS. Default false' }),
};

/** Fields of every request that opens a wallet. */
export const walletFields = { filename: z.string(), password: z.string(), ...nodeRequestFields };

export const scanHeight = { scanHeight: integer.optional().meta({ description: 'First block to scan. Default 0' }) };

/** POST /wallet/open and POST /wallet/create */
export const openBody = z.object(walletFields);

/** POST /wallet/import/key */
export const importKeyBody = z.object({
  ...walletFields,
  ...scanHeight,
  privateViewKey: hash,
  privateSpendKey: hash,
});

/** POST /wallet/import/seed */
export const importSeedBody = z.object({ ...walletFields, ...scanHeight, mnemonicSeed: z.string() });

/** POST /wallet/import/view */
export const importViewBody = z.object({ ...walletFields, ...scanHeight, privateViewKey: hash, address: z.string() });

/** PUT /reset */
export const resetBody = z.object(scanHeight);

/** PUT /wallet/password */
export const passwordBody = z.object({ password: z.string(), newPassword: z.string() });

/** POST /backup */
export const backupBody = z.object({ file: z.string() });

/** POST /export/json */
export const exportBody = z.object({ filename: z.string() });

/** PUT /node */
export const setNodeBody = z.object({ ...nodeRequestFields, daemonHost: z.string() });

const nodeFields = { daemonHost: z.string(), daemonPort: integer, daemonSSL: z.boolean() };

/** GET /node */
export const nodeResponse = z.object({ ...nodeFields, nodeAddress: z.string(), nodeFee: integer });

/** PUT /sync/refresh */
export const refreshResponse = z.object({ ...nodeFields, message: z.string(), status: z.literal('OK') });

const listedNode = z.object({
  name: z.string(),
  isInUse: z.boolean(),
  failure: z.string().optional().meta({ description: 'The last error' }),
});

/** Why and since when sends are refused. */
export const pauseState = z.object({
  source: z.enum(['operator', 'database', 'chainDisagreement', 'heavierBranch']),
  reason: z.string(),
  since: integer.meta({ description: 'Unix milliseconds' }),
});

/** GET /status */
export const statusResponse = z.object({
  converting: z.boolean().meta({
    description: 'An old file was converted, and no block of the chain has confirmed its history yet',
  }),
  daemonLiteStartHeight: integer.meta({ description: 'First block of a lite node, 0 for a full node' }),
  hashrate: uint64.meta({ description: 'Hashes per second of the network' }),
  isDaemonSynced: z.boolean(),
  isOutOfSync: z.boolean().meta({ description: 'Node or wallet is not synchronized' }),
  isSyncStalledByLiteNode: z.boolean().meta({ description: 'The lite node starts above the height of the wallet' }),
  isViewWallet: z.boolean(),
  isWalletSynced: z.boolean().meta({ description: 'At most 10 blocks behind the network' }),
  localDaemonBlockCount: integer.meta({ description: 'Height of the node, 0 until it first responds' }),
  networkBlockCount: integer.meta({ description: 'Height of the network, 0 until the node first responds' }),
  nodes: z.array(listedNode).meta({ description: 'The failover list in its order' }),
  nodeSwitch: z
    .object({ from: z.string(), to: z.string(), reason: z.string(), timestamp: integer })
    .optional()
    .meta({ description: 'The last failover; timestamp in unix seconds' }),
  peerCount: integer,
  scanStartHeight: integer.meta({ description: 'First block of the scan, 0 if the scan begins at a time' }),
  scanStartTimestamp: integer.meta({
    description: 'Unix seconds at which the scan begins, 0 if it begins at a height',
  }),
  sendsPaused: pauseState
    .optional()
    .meta({ description: 'Why sends are refused until they are resumed; absent while they are not paused' }),
  subWalletCount: integer.meta({ description: 'Number of addresses' }),
  syncGapCoveredTo: integer.meta({ description: 'Last block before the gap of a lite node, else 0' }),
  syncGapDaemonServesFrom: integer.meta({ description: 'First block after the gap of a lite node, else 0' }),
  syncStall: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .meta({ description: 'Why the wallet makes no progress' }),
  unreadableBlocks: integer.meta({
    description: 'Blocks skipped since the wallet was opened because they are invalid',
  }),
  walletBlockCount: integer.meta({ description: 'Height of the wallet' }),
});

export const addressParams = z.object({ address: pathAddress });

export const integratedParams = z.object({ address: pathAddress, paymentId: pathPaymentId });

/** POST /addresses/validate */
export const validateBody = z.object({ address: z.string() });

export const validateResponse = z.object({
  actualAddress: z.string().meta({ description: 'The standard address' }),
  isIntegrated: z.boolean(),
  paymentID: z.string().meta({ description: 'Empty for a standard address' }),
  publicSpendKey: hash,
  publicViewKey: hash,
});

/** GET /keys */
export const viewKeyResponse = z.object({ privateViewKey: hash });

/** GET /keys/{address} */
export const spendKeysResponse = z.object({ privateSpendKey: hash, publicSpendKey: hash, walletIndex: integer });

/** GET /keys/mnemonic/{address} */
export const mnemonicResponse = z.object({ mnemonicSeed: z.string().meta({ description: '25 words' }) });

/** POST /addresses/create */
export const createdAddressResponse = z.object({
  address: z.string(),
  privateSpendKey: hash.optional().meta({ description: 'Only for API keys of the scope admin' }),
  publicSpendKey: hash,
  walletIndex: integer,
});

/** POST /addresses/import */
export const importAddressBody = z.object({ privateSpendKey: hash, ...scanHeight });

/** POST /addresses/import/deterministic */
export const importDeterministicBody = z.object({ walletIndex: uint64, ...scanHeight });

/** POST /addresses/import/view */
export const importViewAddressBody = z.object({ publicSpendKey: hash, ...scanHeight });

/** The primary address or an imported one. */
export const addressResponse = z.object({ address: z.string() });

export const addressesResponse = z.object({ addresses: z.array(z.string()) });

export const integratedResponse = z.object({ integratedAddress: z.string() });

const amounts = {
  locked: uint64.meta({ description: 'Atomic units that cannot be spent yet' }),
  unlocked: uint64.meta({ description: 'Atomic units that can be spent now' }),
};

/** GET /balance and GET /balance/{address} */
export const balanceResponse = z.object(amounts);

/** GET /balances: a bare array. */
export const balancesResponse = z.array(z.object({ address: z.string(), ...amounts }));

/** PUT and DELETE /labels/{subject}: a standard address or a transaction hash. */
export const labelParams = z.object({ subject: z.string().regex(/^(?:Wrkz[a-zA-Z0-9]{94}|[a-fA-F0-9]{64})$/) });

export const labelBody = z.object({ text: z.string().min(1).max(500) });

/** GET /labels */
export const labelsResponse = z.object({
  labels: z.array(
    z.object({ subject: z.string().meta({ description: 'Address or transaction hash' }), text: z.string() }),
  ),
});

const MAX_INT64 = 2n ** 63n - 1n;
/** Received minus spent. */
const signedAmount = z
  .bigint()
  .min(-MAX_INT64 * 2n)
  .max(MAX_INT64 * 2n)
  .meta({ description: 'Atomic units received minus spent by the address' });

/** A transaction of the wallet. */
export const transactionRecord = z.object({
  blockHeight: integer.meta({ description: '0 while unconfirmed' }),
  confirmations: integer.meta({ description: '1 in the top block, 0 while unconfirmed' }),
  fee: uint64.meta({ description: 'Atomic units' }),
  hash,
  isCoinbaseTransaction: z.boolean(),
  paymentID: z.string().meta({ description: 'Empty for none' }),
  timestamp: integer.meta({ description: 'Unix seconds of the block, 0 while unconfirmed' }),
  transfers: z.array(z.object({ address: z.string(), amount: signedAmount })),
  unlockTime: uint64.meta({ description: 'Block height or unix seconds until which the outputs are locked' }),
  verified: z.literal(false).optional().meta({
    description: 'Present while the block is not verified by its bytes: received amounts are locked until then',
  }),
});

export const transactionsResponse = z.object({ transactions: z.array(transactionRecord) });

/** GET /transactions */
export const pageResponse = z.object({
  nextCursor: z.string().optional().meta({ description: 'Missing on the last page' }),
  transactions: z.array(transactionRecord),
});

export const transactionResponse = z.object({ transaction: transactionRecord });

export const transactionKeyResponse = z.object({ transactionPrivateKey: hash });

export const hashParams = z.object({ hash });
export const byPaymentIdParams = z.object({ hash: pathPaymentId });
export const startParams = z.object({ startHeight: pathHeight });
export const rangeParams = z.object({ startHeight: pathHeight, endHeight: pathHeight });
export const addressStartParams = z.object({ address: pathAddress, startHeight: pathHeight });
export const addressRangeParams = z.object({ address: pathAddress, startHeight: pathHeight, endHeight: pathHeight });

const digits = z.string().regex(/^\d{1,20}$/);

const filters = {
  direction: z.enum(['in', 'out']).optional().meta({ description: 'Sign of the net amount; zero counts as in' }),
  minAmount: digits.optional().meta({ description: 'Min absolute net amount, atomic units' }),
};

/** The query of GET /transactions. */
export const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .optional()
    .meta({ description: 'Max transactions per page, 1 to 99999. Default: no limit' }),
  cursor: z
    .string()
    .regex(/^\d{1,10}-[0-9a-f]{64}$/)
    .optional()
    .meta({ description: 'nextCursor of the previous page' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: 'By block. Default asc' }),
  ...filters,
});

/** The query of GET /transactions/export. */
export const exportQuery = z.object({
  format: z.enum(['csv', 'json']).optional().meta({ description: 'Default csv' }),
  from: digits.optional().meta({ description: 'Min block timestamp, unix seconds' }),
  to: digits.optional().meta({ description: 'Max block timestamp, unix seconds' }),
  ...filters,
});

const amount = uint64.meta({ description: 'Atomic units' });
const paymentID = z.string().optional().meta({ description: '16 or 64 hex digits' });

const destination = z.object({ address: z.string(), amount });

export const basicBody = z.object({ destination: z.string(), amount, paymentID });

export const advancedBody = z.object({
  destinations: z.array(destination),
  mixin: uint64.optional().meta({ description: 'Decoys per input. Default: the default of the network' }),
  ringFallback: z
    .boolean()
    .optional()
    .meta({ description: 'Whether a smaller ring may be used if the node has too few decoys. Default true' }),
  fee: uint64.optional().meta({ description: 'Total fee in atomic units; overrides feePerByte' }),
  feePerByte: decimal.optional().meta({ description: 'Atomic units per byte. Default: the minimum fee' }),
  sourceAddresses: z.array(z.string()).optional().meta({ description: 'Addresses to spend from. Default: all' }),
  paymentID,
  changeAddress: z.string().optional().meta({ description: 'Default: the primary address' }),
  unlockTime: uint64.optional().meta({ description: 'Block height or unix seconds. Default (0): the network minimum' }),
  extra: z.string().optional().meta({ description: 'Additional data, hex' }),
});

export const preparedBody = z.object({ transactionHash: hash });

export const sweepBody = z.object({
  destination: z.string(),
  amount: uint64.optional().meta({ description: 'Atomic units. Default: the whole unlocked balance' }),
  paymentID,
});

/** An `amount` in the body is ignored. */
export const sweepAllBody = sweepBody.omit({ amount: true });

/** A built transaction. */
export const builtResponse = z.object({
  defaultMixin: integer.optional().meta({ description: 'The default of the network at this height' }),
  fee: uint64.meta({ description: 'Atomic units' }),
  mixin: integer.optional().meta({ description: 'Decoys per input of this transaction' }),
  relayedToNetwork: z.boolean(),
  transactionHash: hash,
});

export const sentResponse = z.object({ transactionHash: hash });

/** The header `Idempotency-Key`. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const sweepEntry = z.union([
  z.object({ success: z.literal(true), transactionHash: hash }),
  z.object({ success: z.literal(false), errorCode: integer, errorMessage: z.string() }),
]);

export const sweepResponse = z.object({ transactions: z.array(sweepEntry) });

const estimate = {
  defaultMixin: integer,
  fee: uint64.meta({ description: 'Atomic units' }),
  inputs: integer,
  mixin: integer,
  outputs: integer,
  size: integer.meta({ description: 'Bytes' }),
};

/** POST /transactions/estimate */
export const estimateResponse = z.object(estimate);

/** POST /transactions/estimate/sweep: one entry per transaction. */
export const sweepEstimateResponse = z.object({
  amount: uint64.meta({ description: 'Total in atomic units' }),
  fee: uint64.meta({ description: 'Total in atomic units' }),
  transactions: z.array(z.object({ amount, ...estimate })),
});

/** POST /sends/pause */
export const pauseBody = z.object({
  reason: z.string().max(200).optional().meta({ description: 'Shown in GET /status and in error 1008' }),
});

export const preparedParams = z.object({ hash });
