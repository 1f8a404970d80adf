import { errorCode, type ErrorRow, HttpError, type Refusal, refusal } from '@wrkz/service-kit';
import { walletError, WalletClosed, WalletError, type WalletErrorName, walletErrorRows } from '@wrkz/wallet-core';
import { systemText } from '@wrkz/wallet-server';

const DEFAULT_STATUS = 400;

/** HTTP statuses of the wallet errors whose status is not `DEFAULT_STATUS`, by error code. */
const STATUS_BY_CODE: Readonly<Record<number, number>> = {
  [walletErrorRows.idempotencyKeyReused.code]: 422,
  [walletErrorRows.idempotencyKeyUnderWay.code]: 409,
  [walletErrorRows.keyLimitExceeded.code]: 403,
  [walletErrorRows.walletDatabaseForeign.code]: 409,
  [walletErrorRows.transactionGivenUp.code]: 409,
  [walletErrorRows.refusedTransactionUnresolved.code]: 409,
  [walletErrorRows.sendsPaused.code]: 503,
  [walletErrorRows.notSynchronized.code]: 503,
  [walletErrorRows.implausibleNodeHeight.code]: 503,
  [walletErrorRows.walletDatabaseDamaged.code]: 503,
};

const statusOfCode = (code: number): number => STATUS_BY_CODE[code] ?? DEFAULT_STATUS;

/** The errors of a route declaration, by name. */
export function walletErrors(...names: readonly WalletErrorName[]): ErrorRow[] {
  return names.map((name) => {
    const { code, text, name: title } = walletErrorRows[name];
    return { status: statusOfCode(code), code, text, when: title };
  });
}

/** 403 without a body: the wallet is in the wrong state, or the scope of the key is too low. */
export const forbidden = (): HttpError => new HttpError(403, 'forbidden', 'Not allowed now');

/** 400 without a body: a missing or invalid field or path parameter. */
export const badRequest = (): HttpError => refusal('bad_request');

export function httpErrorOf({ code, message, name }: WalletError): HttpError {
  return new HttpError(statusOfCode(code), name, message, {}, { errorCode: code, errorMessage: message });
}

/** Maps an error thrown by a handler, after `storageError`. */
export function mapHandlerError(error: unknown): unknown {
  if (error instanceof WalletError) return httpErrorOf(error);
  if (error instanceof WalletClosed) return forbidden();
  return error;
}

/** Errors of service-kit have no body in this service. `httpErrorOf` adds its own body. */
export const emptyErrorBody = (_refused: Refusal): undefined => undefined;

/** Replaces the text of invalidWalletFilename with the reason of the system (`No space left on device`), if known. */
export function withSystemText(error: unknown): unknown {
  if (!(error instanceof WalletError) || error.code !== walletErrorRows.invalidWalletFilename.code) return error;
  const text = systemTextOf(error);
  return text === undefined ? error : walletError.invalidWalletFilename(text);
}

/** Searches an error and its chain of causes for a system error. */
function systemTextOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const text = systemText(errorCode(error) ?? '');
  return text ?? systemTextOf((error as { readonly cause?: unknown }).cause);
}
