import type { AddressError } from '@wrkz/core-types';
import { walletError, type WalletError, walletErrorOfCode } from '../errors';

const NO_INDEX =
  'Missing global output index for one or more wallet outputs. Let sync continue on a full node and retry.';

/** What building and sending a transaction can be refused for, by what was found; the table has one row for several of them. */
export const failures = {
  willOverflow: walletError.willOverflow,
  addressNotInWallet: walletError.addressNotInWallet,
  notEnoughBalance: walletError.notEnoughBalance,
  address: ({ code, message }: AddressError): WalletError => walletErrorOfCode(code, message),
  addressNotValid: walletError.addressNotValid,
  feeTooSmall: walletError.feeTooSmall,
  noDestinations: walletError.noDestinationsGiven,
  amountIsZero: walletError.amountIsZero,
  ringSignature: walletError.failedToCreateRingSignature,
  mixinTooSmall: (mixin: number | bigint, least: number) => walletError.mixinTooSmall(BigInt(mixin), least),
  mixinTooBig: (mixin: number | bigint, most: number) => walletError.mixinTooBig(BigInt(mixin), most),
  paymentIdLength: walletError.paymentIdWrongLength,
  paymentIdInvalid: walletError.paymentIdInvalid,
  conflictingPaymentIds: walletError.conflictingPaymentIds,
  notEnoughFakeOutputs: walletError.notEnoughFakeOutputs,
  noFakeOutputs: (amount: bigint) => walletError.notEnoughFakeOutputs(amount, 0, undefined),
  tooFewFakeOutputs: () => walletError.notEnoughFakeOutputs(),
  nodeOffline: walletError.daemonOffline,
  /** @param text what the node said */
  nodeError: (text = '') => (text === '' ? walletError.daemonError() : walletError.daemonError(text)),
  missingGlobalIndex: () => walletError.daemonError(NO_INDEX),
  transactionTooLarge: walletError.tooManyInputsToFitInBlock,
  batchTooLarge: () => walletError.tooManyInputsToFitInBlock(),
  viewWallet: walletError.illegalViewWalletOperation,
  amountsNotPretty: walletError.amountsNotPretty,
  unexpectedFee: walletError.unexpectedFee,
  invalidExtra: walletError.invalidExtraData,
  unknown: walletError.unknownError,
  stillProcessing: walletError.daemonStillProcessing,
  tooManyOutputs: walletError.outputDecomposition,
  preparedExpired: walletError.preparedTransactionExpired,
  preparedNotFound: walletError.preparedTransactionNotFound,
  unlockTimeTooSmall: walletError.unlockTimeTooSmall,
  shortPaymentIdNeedsOne: walletError.shortPaymentIdNeedsSingleDestination,
} as const;
