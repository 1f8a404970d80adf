import { errorText, rootCause } from '@wrkz/service-kit/base';
import { detailedTexts, errorCodes, errorTexts, type WalletErrorName } from './error-table';

/** The wallet was closed before the operation ended. */
export class WalletClosed extends Error {
  override readonly name = 'WalletClosed';

  constructor() {
    super('the wallet is closed');
  }
}

/** A wallet error with the number, name and text of the C++ wallets (docs/protocol/wallet.md#error-codes). */
export class WalletError extends Error {
  constructor(
    /** Stable: clients compare it. */
    readonly code: number,
    /** Published name of the error. */
    override readonly name: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface WalletErrorRow {
  readonly code: number;
  /** Published name: the property name in upper case with underscores. */
  readonly name: string;
  readonly text: string;
}

type ByName<Value> = Readonly<Record<WalletErrorName, Value>>;

const names = Object.keys(errorCodes) as WalletErrorName[];

export const walletErrorRows = Object.fromEntries(
  names.map((name): [WalletErrorName, WalletErrorRow] => {
    const published = name.replace(/[A-Z]/g, '_$&').toUpperCase();
    return [name, { code: errorCodes[name], name: published, text: errorTexts[name] }];
  }),
) as ByName<WalletErrorRow>;

const nameOfCode: ReadonlyMap<number, WalletErrorName> = new Map(names.map((name) => [errorCodes[name], name]));

/** @param text replaces the general text of the error */
export function walletErrorOf(name: WalletErrorName, text?: string, options?: ErrorOptions): WalletError {
  const row = walletErrorRows[name];
  return new WalletError(row.code, row.name, text ?? row.text, options);
}

/** The error with this code; unknownError for an unknown code. @param text replaces the general text */
export const walletErrorOfCode = (code: number, text?: string): WalletError =>
  walletErrorOf(nameOfCode.get(code) ?? 'unknownError', text);

type DetailedTexts = typeof detailedTexts;

/** Error constructors by name. Without arguments an error has its general text. */
type WalletErrors = {
  readonly [Name in WalletErrorName]: Name extends keyof DetailedTexts
    ? (...details: Parameters<DetailedTexts[Name]> | []) => WalletError
    : () => WalletError;
};

/** Creates errors by name: `walletError.notEnoughBalance()`, `walletError.mixinTooSmall(0n, 1)`. */
export const walletError = Object.fromEntries<unknown>(
  names.map((name) => {
    const textOf = (detailedTexts as Partial<ByName<(...details: never[]) => string>>)[name];
    const make = (...details: never[]): WalletError =>
      walletErrorOf(name, details.length === 0 ? undefined : textOf?.(...details));
    return [name, make];
  }),
) as WalletErrors;

export function isWalletError(error: unknown, ...names: readonly WalletErrorName[]): error is WalletError {
  return error instanceof WalletError && names.some((name) => errorCodes[name] === error.code);
}

/** Log text of a failed write: the text of the operating system or of SQLite if available. */
export const writeFailure = (error: unknown): string => errorText(rootCause(error));

/** The error for a refusal by a node. @param reason text from the node; '' selects the general text */
export const nodeRefusal = (reason = ''): WalletError =>
  reason === '' ? walletError.daemonError() : walletError.daemonError(reason);

/** An own output cannot be spent because no node has reported its global index yet. */
export const missingGlobalIndex = (): WalletError =>
  walletError.daemonError(
    'Missing global output index for one or more wallet outputs. Let sync continue on a full node and retry.',
  );
