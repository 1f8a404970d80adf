import { errorText } from '@wrkz/service-kit/base';
import { detailedTexts, errorCodes, errorTexts, type WalletErrorName } from './error-table';

/** The wallet was closed before the operation ended. */
export class WalletClosed extends Error {
  override readonly name = 'WalletClosed';

  constructor() {
    super('the wallet is closed');
  }
}

/** An error of the wallet with number, name and text as in the C++ wallets (docs/protocol/wallet.md#error-codes). */
export class WalletError extends Error {
  constructor(
    /** Stable: clients compare it. */
    readonly code: number,
    /** The published name of the number. */
    override readonly name: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface WalletErrorRow {
  readonly code: number;
  /** The published name: that of the property in upper case with underscores. */
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

/** @param text in place of the general text of the error */
export function walletErrorOf(name: WalletErrorName, text?: string, options?: ErrorOptions): WalletError {
  const row = walletErrorRows[name];
  return new WalletError(row.code, row.name, text ?? row.text, options);
}

/** The error of a code; unknownError for an unknown one. @param text in place of the general text */
export const walletErrorOfCode = (code: number, text?: string): WalletError =>
  walletErrorOf(nameOfCode.get(code) ?? 'unknownError', text);

type DetailedTexts = typeof detailedTexts;

/** Without details the error has its general text. */
type WalletErrors = {
  readonly [Name in WalletErrorName]: Name extends keyof DetailedTexts
    ? (...details: Parameters<DetailedTexts[Name]> | []) => WalletError
    : () => WalletError;
};

/** Makes the error of a name: `walletError.notEnoughBalance()`, `walletError.mixinTooSmall(0n, 1)`. */
export const walletError = Object.fromEntries<unknown>(
  names.map((name) => {
    const textOf = (detailedTexts as Partial<ByName<(...details: never[]) => string>>)[name];
    const make = (...details: never[]): WalletError =>
      walletErrorOf(name, details.length === 0 ? undefined : textOf?.(...details));
    return [name, make];
  }),
) as WalletErrors;

/** Whether an error is a WalletError of one of these names. */
export function isWalletError(error: unknown, ...names: readonly WalletErrorName[]): error is WalletError {
  return error instanceof WalletError && names.some((name) => errorCodes[name] === error.code);
}

/** The text of a failed write for the log: the text of the operating system or of SQLite, if there is one. */
export const writeFailure = (error: unknown): string =>
  errorText(error instanceof WalletError ? (error.cause ?? error) : error);

/** A refusal by a node. @param reason the node's text; the general text is used when it is empty */
export const nodeRefusal = (reason = ''): WalletError =>
  reason === '' ? walletError.daemonError() : walletError.daemonError(reason);

/** An own output cannot be spent because no node has reported its global index yet. */
export const missingGlobalIndex = (): WalletError =>
  walletError.daemonError(
    'Missing global output index for one or more wallet outputs. Let sync continue on a full node and retry.',
  );
