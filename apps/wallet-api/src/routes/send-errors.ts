import { walletErrors } from './declare';

/** What building a transaction can be refused for, in the order in which it is looked for. */
export const SEND_ERRORS = walletErrors(
  'illegalViewWalletOperation',
  'invalidExtraData',
  'noDestinationsGiven',
  'amountIsZero',
  'addressWrongLength',
  'addressWrongPrefix',
  'addressNotBase58',
  'integratedAddressPaymentIdInvalid',
  'addressNotValid',
  'conflictingPaymentIds',
  'addressIsIntegrated',
  'addressNotInWallet',
  'feeTooSmall',
  'willOverflow',
  'notEnoughBalance',
  'mixinTooSmall',
  'mixinTooBig',
  'paymentIdWrongLength',
  'paymentIdInvalid',
  'unlockTimeTooSmall',
  'shortPaymentIdNeedsSingleDestination',
  'daemonError',
  'daemonOffline',
  'notEnoughFakeOutputs',
  'outputDecomposition',
  'failedToCreateRingSignature',
  'tooManyInputsToFitInBlock',
  'amountsNotPretty',
  'unexpectedFee',
  'keyLimitExceeded',
);

/** What may come of giving a transaction to the node, and of a key for a request that was made before. */
export const RELAY_ERRORS = walletErrors(
  'daemonStillProcessing',
  'invalidWalletFilename',
  'idempotencyKeyReused',
  'idempotencyKeyUnderWay',
);
