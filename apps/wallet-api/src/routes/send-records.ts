import type { walletApi } from '@wrkz/api';
import type { FeeChoice, SendSummary, SendRequest, SweepRequest, SweepResult } from '@wrkz/wallet-core';
import type { z } from 'zod';
import { walletErrors } from '../errors';

/* Request bodies, responses and error lists shared by the routes that build or send transactions. */

type BasicBody = z.output<typeof walletApi.basicBody>;
type AdvancedBody = z.output<typeof walletApi.advancedBody>;
type SweepBody = Omit<z.output<typeof walletApi.sweepBody>, 'amount'> & { readonly amount?: bigint | undefined };

export function basicRequest({ destination, amount, paymentID }: BasicBody): SendRequest {
  return { destinations: [{ address: destination, amount }], paymentId: paymentID };
}

export function advancedRequest(body: AdvancedBody): SendRequest {
  const { destinations, mixin, ringFallback, sourceAddresses, paymentID, changeAddress, unlockTime, extra } = body;
  return {
    destinations,
    fee: feeChoice(body),
    mixin,
    ringFallback,
    paymentId: paymentID,
    sourceAddresses,
    changeAddress,
    unlockTime,
    extra,
  };
}

/** `fee` overrides `feePerByte`. */
function feeChoice({ fee, feePerByte }: AdvancedBody): FeeChoice {
  if (fee !== undefined) return { kind: 'fixed', amount: fee };
  return feePerByte === undefined ? { kind: 'minimum' } : { kind: 'perByte', rate: feePerByte };
}

export function sweepRequest({ destination, amount, paymentID }: SweepBody): SweepRequest {
  return { destination, amount, paymentId: paymentID };
}

type SendResponse = z.output<typeof walletApi.builtResponse>;
type SweepResponse = z.output<typeof walletApi.sweepResponse>;

export function sendResponse(
  { hash, fee, mixin, defaultMixin }: SendSummary,
  { relayed }: { readonly relayed: boolean },
): SendResponse {
  return { defaultMixin, fee, mixin, relayedToNetwork: relayed, transactionHash: hash };
}

/** The response to a send that was interrupted after its submission. */
export function recoveredSendResponse([first]: readonly SendSummary[]): SendResponse {
  if (first === undefined) throw new RangeError('no recovered transaction');
  return sendResponse(first, { relayed: true });
}

/** One entry per transaction, sent or failed. */
export function toSweepResponse({ entries }: Pick<SweepResult, 'entries'>): SweepResponse {
  const transactions = entries.map((entry) =>
    entry.success
      ? { success: true as const, transactionHash: entry.transactionHash }
      : { errorCode: entry.errorCode, errorMessage: entry.errorMessage, success: false as const },
  );
  return { transactions };
}

/** The response to a sweep that was interrupted: the transactions that were submitted. */
export function recoveredSweepResponse(sends: readonly { readonly hash: string }[]): SweepResponse {
  return { transactions: sends.map(({ hash }) => ({ success: true as const, transactionHash: hash })) };
}

/** Errors of building a transaction with one destination and default options. */
export const BASIC_BUILD_ERRORS = walletErrors(
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
  'refusedTransactionUnresolved',
  'notSynchronized',
  'implausibleNodeHeight',
);

/** Errors of building a transaction with chosen options. */
export const ADVANCED_BUILD_ERRORS = [
  ...BASIC_BUILD_ERRORS,
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

/** Errors of the limits of an API key. */
export const LIMIT_ERRORS = walletErrors('keyLimitExceeded');

export const IDEMPOTENCY_ERRORS = walletErrors(
  'idempotencyKeyReused',
  'idempotencyKeyUnderWay',
  'transactionGivenUp',
  'walletDatabaseDamaged',
);

/** Errors while sends are paused. */
export const PAUSE_ERRORS = walletErrors('sendsPaused');

/** Errors of submitting a transaction. */
export const RELAY_ERRORS = [
  ...walletErrors('daemonStillProcessing', 'invalidWalletFilename'),
  ...IDEMPOTENCY_ERRORS,
  ...PAUSE_ERRORS,
];
