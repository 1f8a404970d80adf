import type { ApiError } from '../errors';

/** An error of the wallet over JSON-RPC: always status 200, in the envelope. */
export interface WalletRpcError extends ApiError {
  readonly status: 200;
  readonly code: number;
  /** `data.application_code`; the tables of the reference share numbers, so only the text tells two apart. */
  readonly application?: number;
}

/** The envelope's code of every application error. */
const APPLICATION = -32_700;

const envelope = (code: number, text: string, when: string): WalletRpcError => ({ status: 200, code, text, when });

const own = (application: number, text: string, when: string): WalletRpcError => {
  return { status: 200, code: APPLICATION, application, text, when };
};

/** What the envelope itself is refused with. */
export const walletRpcEnvelopeErrors = {
  parse: envelope(-32_700, 'Parse error', 'The body is no JSON, or empty.'),
  notAnObject: envelope(-32_001, 'JsonValue type is not OBJECT', 'The body is JSON, but no object.'),
  password: envelope(-32_604, 'Invalid or no rpc password', 'The password is missing, no text, or wrong.'),
  noMethod: envelope(-3_600, 'Invalid Request', 'The method is missing, or no text.'),
  unknownMethod: envelope(-32_601, 'Method not found', 'There is no such method.'),
  params: envelope(
    -32_600,
    'Invalid Request',
    'The params are no object, one that is needed is missing or of a wrong type, or two exclude each other.',
  ),
  unexpected: envelope(-32_001, '{text}', 'Anything else went wrong.'),
} as const;

/** Every application error; the numbers are the reference's. */
export const walletRpcErrors = {
  wrongKey: own(1, 'Wrong key format', 'A key is not 64 hex digits.'),
  wrongPaymentId: own(2, 'Wrong payment id format', 'The payment id is neither 16 nor 64 hex digits.'),
  wrongHash: own(3, 'Wrong block id format', 'A hash is not 64 hex digits.'),
  unknownObject: own(4, 'Requested object not found', 'There is no such block or delayed transaction.'),
  duplicateKey: own(5, 'Duplicate key', 'A key stands in the list twice.'),
  keysNotDeterministic: own(
    6,
    'Keys not deterministic',
    'The view key does not follow from the spend key, so no seed tells both.',
  ),

  internalError: own(5, 'Internal error occurred', 'The extra of a delayed transaction is not hex.'),
  tooFewDecoys: own(6, 'MixIn count is too big', 'The node has too few outputs of an amount.'),
  badAddress: own(7, 'Bad address', 'An address is no plain one of this network, or a source is not ours.'),
  tooLarge: own(8, 'Transaction size is too big', 'The transaction does not fit into a block.'),
  wrongAmount: own(9, 'Wrong amount', 'An amount is beyond all money, or there is not enough of it unlocked.'),
  sumOverflow: own(10, 'Sum overflow', 'The amounts together are 2^64 or more.'),
  nothingToSend: own(11, 'The destination is empty', 'There are no transfers, or one of nothing.'),
  cannotCancel: own(12, 'Impossible to cancel transaction', 'It was sent or deleted before.'),
  cannotTransfer: own(15, 'Transaction transfer impossible', 'It was sent or deleted before.'),
  feeTooSmall: own(17, 'Transaction fee is too small', 'The fee is below what the network takes.'),
  cannotMakeKey: own(18, 'Cannot generate new key', 'The secret key is none of this curve.'),
  addressExists: own(20, 'Address already exists', 'The container has that key.'),
  trackingMode: own(21, 'The wallet is in tracking mode', 'The container has no secret spend keys.'),
  wrongParameters: own(22, 'Wrong parameters passed', 'The values do not fit the container or the chain.'),
  objectNotFound: own(23, 'Object not found', 'The container has no such address or transaction.'),
  walletNotFound: own(24, 'Requested wallet not found', 'The address is not of this container.'),
  changeAddressRequired: own(25, 'Change address required', 'Several addresses pay, and none is named for the change.'),
  changeAddressNotFound: own(26, 'Change address not found', 'The change address is not of this container.'),
  badPaymentId: own(
    29,
    'Wrong payment id format',
    'The payment id of a send is neither 16 nor 64 hex digits, or a short one goes to several receivers.',
  ),
  badExtra: own(30, 'Wrong transaction extra format', 'The extra is not hex.'),
  mixinTooSmall: own(31, 'Mixin below minimum allowed threshold', 'The anonymity is below the least one.'),
  mixinTooBig: own(32, 'Mixin above maximum allowed threshold', 'The anonymity is above the highest one.'),
  conflictingPaymentIds: own(
    33,
    "Multiple conflicting payment ID's were specified via the use of integrated addresses",
    'Two different payment ids are named.',
  ),
  extraTooLarge: own(34, 'Transaction extra too large', 'The extra would have 1024 bytes or more.'),
  tooManyOutputs: own(
    35,
    'Transaction has an excessive number of outputs for the input count',
    'The transaction would have more than 90 outputs.',
  ),

  nodeRefused: own(5, 'Internal node error', 'The node does not take the transaction.'),
  nodeAway: own(7, "Can't connect to daemon", 'No node can be reached.'),
  nodeTimeout: own(
    8,
    'Operation timed out',
    'It is not known whether the node has the transaction: its inputs stay locked until that is found out.',
  ),

  noSuchFile: own(
    2,
    'No such file or directory',
    'The folder is missing, or the name leads out of that of the container.',
  ),
  cannotWrite: own(5, '{text}', 'The file cannot be written; the number and the text are those of the system.'),

  idempotencyKeyReused: own(
    1002,
    'This idempotency key was given before, with another request.',
    'The key was given with other params.',
  ),
  idempotencyKeyUnderWay: own(
    1003,
    'A request with this idempotency key is under way, or it is not known yet how it ended. Ask again later.',
    'Whether the first request has sent anything will be known when the wallet has read the chain.',
  ),
  transactionGivenUp: own(
    1006,
    'Transaction {hash} was given up: {reason}. Send again with another key.',
    'The transaction that was sent with this idempotency key is in no block and is no longer submitted.',
  ),
  refusedTransactionUnresolved: own(
    1007,
    'Transaction {hash} of these addresses was refused and may still be mined. Wait until a block has the one that ' +
      'replaces it, then try again.',
    'A send must spend one of the inputs of the refused transaction, and another send has all of them.',
  ),
  sendsPaused: own(
    1008,
    'Sends are paused: {reason}. They go on when the operator resumes them.',
    'The operator paused sends with pauseSends, or the wallet did: nodes disagree, or its database is damaged.',
  ),
  notSynchronized: own(
    1009,
    'The wallet is not synchronized: it is more than 20 blocks behind its node. Wait until it has caught up.',
    'The wallet lacks more than 20 blocks of its node.',
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
