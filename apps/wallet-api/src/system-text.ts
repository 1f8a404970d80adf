import { errorCode } from '@wrkz/service-kit';
import { walletError, WalletError, walletErrorRows } from '@wrkz/wallet-core';
import { getSystemErrorMap } from 'node:util';

/** A failed write with what the system says of it, which is what the export route tells. */
export function withSystemText(error: unknown): unknown {
  if (!(error instanceof WalletError) || error.code !== walletErrorRows.invalidWalletFilename.code) return error;
  const text = systemText(error);
  return text === undefined ? error : walletError.invalidWalletFilename(text);
}

function systemText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  for (const [name, text] of getSystemErrorMap().values()) {
    if (name === code) return text.charAt(0).toUpperCase() + text.slice(1);
  }
  return systemText(error.cause);
}
