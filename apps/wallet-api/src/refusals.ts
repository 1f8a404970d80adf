import { HttpError, type Refusal, refusal } from '@wrkz/service-kit';
import { WalletClosed, WalletError, walletErrorRows } from '@wrkz/wallet-core';

/** Statuses of the codes that are not answered with 400. */
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  [walletErrorRows.idempotencyKeyReused.code]: 422,
  [walletErrorRows.idempotencyKeyUnderWay.code]: 409,
  [walletErrorRows.keyLimitExceeded.code]: 403,
};

/** The wrong state for a route, or more than the key allows: without a body. */
export const forbidden = (): HttpError => new HttpError(403, 'forbidden', 'Not allowed now');

/** A member or a part of the path that is missing or wrong: without a body. */
export const badRequest = (): HttpError => refusal('bad_request');

/** The status and body of a wallet's error. */
export function walletRefusal({ code, message, name }: WalletError): HttpError {
  const body = { errorCode: code, errorMessage: message };
  return new HttpError(statusOfCode(code), name, message, {}, body);
}

/** The status of a code. */
export const statusOfCode = (code: number): number => STATUS_OF_CODE[code] ?? 400;

/** What an error of a handler is answered as. */
export function failed(error: unknown): unknown {
  if (error instanceof WalletError) return walletRefusal(error);
  if (error instanceof WalletClosed) return forbidden();
  return error;
}

/** Refusals of the shared parts have no body; those of the wallet bring their own. */
export const bodyOfRefusal = (_refused: Refusal): undefined => undefined;
