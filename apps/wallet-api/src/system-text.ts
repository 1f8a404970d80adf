import { errorCode } from '@wrkz/service-kit';
import { walletError, WalletError, walletErrorRows } from '@wrkz/wallet-core';
import { systemText } from '@wrkz/wallet-server';

/** A failed write with what the system says of it, which is what the export route tells. */
export function withSystemText(error: unknown): unknown {
  if (!(error instanceof WalletError) || error.code !== walletErrorRows.invalidWalletFilename.code) return error;
  const text = textWithin(error);
  return text === undefined ? error : walletError.invalidWalletFilename(text);
}

/** Looks for a system error among an error and what caused it. */
function textWithin(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const text = systemText(errorCode(error) ?? '');
  return text ?? textWithin((error as { readonly cause?: unknown }).cause);
}
