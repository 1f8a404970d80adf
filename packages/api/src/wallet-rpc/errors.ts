import type { ApiError } from '../errors';

/** An error of the wallet over JSON-RPC: always status 200, in the envelope. */
export interface WalletRpcError extends ApiError {
  readonly status: 200;
  readonly code: number;
  /** `data.application_code`. Error categories of the C++ program share numbers: only the text distinguishes them. */
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
  duplicateKey: own(5, 'Duplicate key', 'The list holds a key twice.'),
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
  walletNotFound: own(24, 'Requested wallet not found', 'The address is not of this container.'),
  changeAddressRequired: own(
    25,
    'Change address required',
    'Several addresses are spent from, and changeAddress is missing.',
  ),
  changeAddressNotFound: own(26, 'Change address not found', 'The change address is not of this container.'),
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
    'The request holds two different payment ids.',
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
    'The node may have accepted the transaction. Its inputs stay locked until the wallet finds out.',
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
    'A send must spend one of the inputs of that transaction, and the pool of the node or another send has all of them.',
  ),
  sendsPaused: own(
    1008,
    'Sends are paused: {reason}. They go on when the operator resumes them.',
    'The operator paused sends with pauseSends, or the wallet did: nodes disagree, or its database is damaged.',
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
    'Mainnet only: the node claims more blocks than can have been mined since the last block of the wallet.',
  ),
  walletDatabaseDamaged: own(
    1011,
    'The wallet database is damaged: {reason}. Restore a backup, or resume sends to begin a new database.',
    'The wallet database beside the container cannot be read.',
  ),
} as const satisfies Record<string, WalletRpcError>;
