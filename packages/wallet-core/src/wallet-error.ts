/** A refusal of the wallet: number, name and text as every wallet program of the network tells them (`errors.ts`). */
export class WalletError extends Error {
  constructor(
    /** Stable; what clients look at. */
    readonly code: number,
    /** The name that stands beside the number in the published table. */
    override readonly name: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A row of the table: what it says when nothing more is known, and what it says of the case at hand. */
export interface WalletErrorRow<Parameters extends readonly unknown[] = readonly never[]> {
  readonly code: number;
  readonly name: string;
  readonly text: string;
  readonly say?: (...parameters: Parameters) => string;
}

export function errorRow(code: number, name: string, text: string): WalletErrorRow<[]>;
export function errorRow<Parameters extends readonly unknown[]>(
  code: number,
  name: string,
  text: string,
  say: (...parameters: Parameters) => string,
): WalletErrorRow<Parameters>;
export function errorRow<Parameters extends readonly unknown[]>(
  code: number,
  name: string,
  text: string,
  say?: (...parameters: Parameters) => string,
): WalletErrorRow<Parameters> {
  return say === undefined ? { code, name, text } : { code, name, text, say };
}

/** Makes the error of a row; without parameters it bears the text that always holds. */
export type WalletErrorMaker<Row> =
  Row extends WalletErrorRow<infer Parameters> ? (...parameters: Parameters | []) => WalletError : never;

export function errorMaker<Parameters extends readonly unknown[]>(
  row: WalletErrorRow<Parameters>,
): (...parameters: Parameters | []) => WalletError {
  return (...parameters) => {
    const { code, name, text, say } = row;
    const known = say !== undefined && parameters.length > 0;
    return new WalletError(code, name, known ? say(...(parameters as Parameters)) : text);
  };
}
