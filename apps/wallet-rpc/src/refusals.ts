import { getSystemErrorMap } from 'node:util';
import { walletRpcApi } from '@wrkz/api';
import { NodeFailure } from '@wrkz/client';
import { errorCode, errorText, JsonRpcError } from '@wrkz/service-kit';
import { WalletError } from '@wrkz/wallet-core';
import { systemText } from '@wrkz/wallet-server';

const { walletRpcErrors, walletRpcEnvelopeErrors } = walletRpcApi;

export type WalletRpcErrorName = keyof typeof walletRpcErrors;

/** The error of a row. */
export function applicationRefusal(name: WalletRpcErrorName): JsonRpcError {
  const { code, text, application } = walletRpcErrors[name];
  return new JsonRpcError(code, text, 200, { application_code: application });
}

/** An error of the envelope. */
export function envelopeRefusal(name: keyof typeof walletRpcEnvelopeErrors, filled?: string): JsonRpcError {
  const { code, text } = walletRpcEnvelopeErrors[name];
  return new JsonRpcError(code, filled ?? text);
}

/** The rows for the codes of a wallet; what has none is an internal failure. */
const ROW_OF_CODE: Readonly<Record<number, WalletRpcErrorName>> = {
  9: 'sumOverflow',
  10: 'badAddress',
  11: 'wrongAmount',
  12: 'badAddress',
  13: 'badAddress',
  14: 'badAddress',
  15: 'badAddress',
  16: 'wrongPaymentId',
  17: 'feeTooSmall',
  18: 'nothingToSend',
  19: 'nothingToSend',
  21: 'mixinTooSmall',
  22: 'mixinTooBig',
  23: 'badPaymentId',
  24: 'badPaymentId',
  25: 'badAddress',
  26: 'conflictingPaymentIds',
  27: 'tooFewDecoys',
  28: 'tooFewDecoys',
  30: 'nodeAway',
  31: 'nodeRefused',
  32: 'tooLarge',
  38: 'addressExists',
  39: 'trackingMode',
  40: 'wrongParameters',
  41: 'keysNotDeterministic',
  51: 'wrongParameters',
  52: 'cannotMakeKey',
  53: 'badExtra',
  55: 'nodeTimeout',
  56: 'tooManyOutputs',
  57: 'nodeRefused',
  60: 'nodeRefused',
  61: 'badPaymentId',
  62: 'wrongParameters',
  1001: 'wrongParameters',
  1002: 'idempotencyKeyReused',
  1003: 'idempotencyKeyUnderWay',
};

/** A file that could not be written. */
const INVALID_FILENAME = 2;

/** What an error of a handler is told as; undefined for what nobody has foreseen. */
export function refusalOf(error: unknown): JsonRpcError | undefined {
  if (error instanceof JsonRpcError) return error;
  if (error instanceof NodeFailure) return applicationRefusal('nodeAway');
  if (!(error instanceof WalletError)) return undefined;
  if (error.code === INVALID_FILENAME) return fileRefusal(error);
  const name = ROW_OF_CODE[error.code];
  return name === undefined ? envelopeRefusal('unexpected', error.message) : applicationRefusal(name);
}

/** With the number and the words of the system. */
function fileRefusal(error: unknown): JsonRpcError {
  const name = systemName(error);
  return name === undefined ? refusedFile(errorText(error)) : systemRefusal(name, errorText(error));
}

/** @param name such as EEXIST @param otherwise told where the system knows no such name */
export function systemRefusal(name: string, otherwise = name): JsonRpcError {
  const number = [...getSystemErrorMap()].find(([, [systemErrorName]]) => systemErrorName === name)?.[0];
  return number === undefined ? refusedFile(otherwise) : refusedFile(systemText(name) ?? otherwise, Math.abs(number));
}

function refusedFile(text: string, number?: number): JsonRpcError {
  const { code, application } = walletRpcErrors.cannotWrite;
  return new JsonRpcError(code, text, 200, { application_code: number ?? application });
}

function systemName(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return systemName(error.cause) ?? errorCode(error);
}
