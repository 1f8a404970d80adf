import { getSystemErrorMap } from 'node:util';
import { walletRpcApi } from '@wrkz/api';
import { NodeFailure } from '@wrkz/client';
import { errorCode, errorText, JsonRpcError } from '@wrkz/service-kit';
import { isWalletError, storageError, WalletError, type WalletErrorName, walletErrorRows } from '@wrkz/wallet-core';
import { systemText } from '@wrkz/wallet-server';

const { walletRpcErrors, walletRpcEnvelopeErrors } = walletRpcApi;

export type WalletRpcErrorName = keyof typeof walletRpcErrors;

/** An error of a method: code -32700 with `data.application_code`. @param message replaces the text of the table */
export function applicationError(name: WalletRpcErrorName, message?: string): JsonRpcError {
  const { code, text, application } = walletRpcErrors[name];
  return new JsonRpcError(code, message ?? text, 200, { application_code: application });
}

/** An error of the JSON-RPC envelope. @param message replaces the text of the table */
export function envelopeError(name: keyof typeof walletRpcEnvelopeErrors, message?: string): JsonRpcError {
  const { code, text } = walletRpcEnvelopeErrors[name];
  return new JsonRpcError(code, message ?? text);
}

/** Application errors by wallet error. Wallet errors that are not listed become internal errors. */
const APPLICATION_ERRORS: Partial<Record<WalletErrorName, WalletRpcErrorName>> = {
  willOverflow: 'sumOverflow',
  addressNotInWallet: 'badAddress',
  notEnoughBalance: 'wrongAmount',
  addressWrongLength: 'badAddress',
  addressWrongPrefix: 'badAddress',
  addressNotBase58: 'badAddress',
  addressNotValid: 'badAddress',
  integratedAddressPaymentIdInvalid: 'wrongPaymentId',
  feeTooSmall: 'feeTooSmall',
  noDestinationsGiven: 'nothingToSend',
  amountIsZero: 'nothingToSend',
  mixinTooSmall: 'mixinTooSmall',
  mixinTooBig: 'mixinTooBig',
  paymentIdWrongLength: 'badPaymentId',
  paymentIdInvalid: 'badPaymentId',
  addressIsIntegrated: 'badAddress',
  conflictingPaymentIds: 'conflictingPaymentIds',
  cantGetFakeOutputs: 'tooFewDecoys',
  notEnoughFakeOutputs: 'tooFewDecoys',
  daemonOffline: 'nodeAway',
  daemonError: 'nodeRefused',
  tooManyInputsToFitInBlock: 'tooLarge',
  subwalletAlreadyExists: 'addressExists',
  illegalViewWalletOperation: 'trackingMode',
  illegalNonViewWalletOperation: 'wrongParameters',
  keysNotDeterministic: 'keysNotDeterministic',
  invalidPublicKey: 'wrongParameters',
  invalidPrivateKey: 'cannotMakeKey',
  invalidExtraData: 'badExtra',
  daemonStillProcessing: 'nodeTimeout',
  outputDecomposition: 'tooManyOutputs',
  preparedTransactionExpired: 'nodeRefused',
  unlockTimeTooSmall: 'nodeRefused',
  shortPaymentIdNeedsSingleDestination: 'badPaymentId',
  liteNodeCannotRescanThatLow: 'wrongParameters',
  walletIndexTooLarge: 'wrongParameters',
  idempotencyKeyReused: 'idempotencyKeyReused',
  idempotencyKeyUnderWay: 'idempotencyKeyUnderWay',
  transactionGivenUp: 'transactionGivenUp',
  refusedTransactionUnresolved: 'refusedTransactionUnresolved',
  sendsPaused: 'sendsPaused',
  notSynchronized: 'notSynchronized',
  implausibleNodeHeight: 'implausibleNodeHeight',
  walletDatabaseDamaged: 'walletDatabaseDamaged',
};

const NAME_OF_CODE = new Map(
  Object.entries(walletErrorRows).map(([name, { code }]) => [code, name as WalletErrorName]),
);

/** Maps an error thrown by a method; undefined for an unexpected error. */
export function toJsonRpcError(thrown: unknown): JsonRpcError | undefined {
  const error = storageError(thrown);
  if (error instanceof JsonRpcError) return error;
  if (error instanceof NodeFailure) return applicationError('nodeAway');
  if (isWalletError(error, 'invalidWalletFilename')) return fileError(error);
  if (!(error instanceof WalletError)) return undefined;
  const walletErrorName = NAME_OF_CODE.get(error.code);
  const name = walletErrorName && APPLICATION_ERRORS[walletErrorName];
  if (name === undefined) return envelopeError('unexpected', error.message);
  // If the text has placeholders, the message of the wallet error is the completed text.
  return applicationError(name, walletRpcErrors[name].text.includes('{') ? error.message : undefined);
}

/** The error for a file that cannot be written: number and text of the causing system error. */
function fileError(error: unknown): JsonRpcError {
  const name = systemErrorName(error);
  return name === undefined ? cannotWrite(errorText(error)) : systemError(name, errorText(error));
}

/** @param name such as EEXIST @param fallback the message for an unknown name */
export function systemError(name: string, fallback = name): JsonRpcError {
  const number = [...getSystemErrorMap()].find(([, [knownName]]) => knownName === name)?.[0];
  return number === undefined ? cannotWrite(fallback) : cannotWrite(systemText(name) ?? fallback, Math.abs(number));
}

function cannotWrite(text: string, number?: number): JsonRpcError {
  const { code, application } = walletRpcErrors.cannotWrite;
  return new JsonRpcError(code, text, 200, { application_code: number ?? application });
}

function systemErrorName(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return systemErrorName(error.cause) ?? errorCode(error);
}
