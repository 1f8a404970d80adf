import { getSystemErrorMap } from 'node:util';
import { errorCode } from '@wrkz/service-kit';
import { walletError, WalletError, walletErrorRows } from '@wrkz/wallet-core';

/** Errors of which the C library speaks in other words than Node.js. */
const TEXTS: Readonly<Record<string, string>> = {
  EEXIST: 'File exists',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
};

/** The text of a system error by its code; undefined for what is none. */
export function systemText(code: string): string | undefined {
  if (TEXTS[code] !== undefined) return TEXTS[code];
  for (const [name, text] of getSystemErrorMap().values()) {
    if (name === code) return text.charAt(0).toUpperCase() + text.slice(1);
  }
  return undefined;
}

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
