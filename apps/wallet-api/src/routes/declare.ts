import { type ErrorRow, type Guards, type Route, routeDeclarer } from '@wrkz/service-kit';
import { walletErrorRows } from '@wrkz/wallet-core';
import type { WalletApiContext } from '../context';
import type { KeyScope } from '../keys/key-file';
import { statusOfCode } from '../refusals';

/** What a route asks before the request itself is looked at. */
export interface WalletLabels {
  /** Whether a wallet has to be open, has to be closed, or either. */
  readonly wallet: 'open' | 'closed' | 'any';
  /** Whether a wallet without spend keys will do. */
  readonly viewWallet: boolean;
  /** What a scoped key has to allow at least. */
  readonly scope: KeyScope;
}

export type WalletRoute = Route<WalletApiContext, WalletLabels>;

/** Declares a route of the wallet. */
export const declareWalletRoute = routeDeclarer<WalletApiContext, WalletLabels>();

/** Behind the key; its failures have a limit of their own. */
export const KEY_WANTED: Guards = { key: true, limit: false };

/** For people and monitors; the service has no limit of requests. */
export const NO_GUARDS: Guards = { key: false, limit: false };

type ErrorName = keyof typeof walletErrorRows;

/** The rows of errors for a declaration, by their names. */
export function walletErrors(...names: readonly ErrorName[]): ErrorRow[] {
  return names.map((name) => {
    const { code, text, name: title } = walletErrorRows[name];
    return { status: statusOfCode(code), code, text, when: title };
  });
}

export const NOT_FOUND: ErrorRow = { status: 404, text: '', when: 'There is none.' };
