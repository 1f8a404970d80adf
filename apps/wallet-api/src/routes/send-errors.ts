import { walletErrors } from './declare';

/** What building a transaction can be refused for whose destination is one and whose terms are the usual ones. */
export const BASIC_SEND_ERRORS = walletErrors(
  'illegalViewWalletOperation',
  'amountIsZero',
  'addressWrongLength',
  'addressWrongPrefix',
  'addressNotBase58',
  'integratedAddressPaymentIdInvalid',
  'addressNotValid',
  'conflictingPaymentIds',
  'notEnoughBalance',
  'paymentIdWrongLength',
  'paymentIdInvalid',
  'daemonError',
  'daemonOffline',
  'notEnoughFakeOutputs',
  'failedToCreateRingSignature',
  'tooManyInputsToFitInBlock',
  'amountsNotPretty',
  'unexpectedFee',
);

/** The same where everything of it is chosen. */
export const SEND_ERRORS = [
  ...BASIC_SEND_ERRORS,
  ...walletErrors(
    'invalidExtraData',
    'noDestinationsGiven',
    'addressIsIntegrated',
    'addressNotInWallet',
    'feeTooSmall',
    'willOverflow',
    'mixinTooSmall',
    'mixinTooBig',
    'unlockTimeTooSmall',
    'shortPaymentIdNeedsSingleDestination',
    'outputDecomposition',
  ),
];

/** What stands in the way of building a transaction for a key with limits. */
export const LIMIT_ERRORS = walletErrors('keyLimitExceeded');

/** What may come of giving a transaction to the node, and of a key for a request that was made before. */
export const RELAY_ERRORS = walletErrors(
  'daemonStillProcessing',
  'invalidWalletFilename',
  'idempotencyKeyReused',
  'idempotencyKeyUnderWay',
);
