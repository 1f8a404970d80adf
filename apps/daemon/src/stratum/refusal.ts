import { errorMessage, type stratumApi } from '@wrkz/api';

/** How a refused request goes on. */
export interface RefusalEffect {
  /** The connection is ended once the answer is sent. */
  readonly ends?: boolean;
  /** Points that the request costs besides its line. */
  readonly cost?: number;
}

/** Why a stratum request is refused. */
export class StratumRefusal extends Error {
  override readonly name = 'StratumRefusal';

  constructor(
    readonly row: stratumApi.StratumError,
    values: Readonly<Record<string, string>> = {},
    readonly effect: RefusalEffect = {},
  ) {
    super(errorMessage(row, values));
  }
}
