import { refusals } from '@wrkz/api/daemon-errors';
import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import { refuse } from '../errors';

export interface QueryContext {
  readonly reader: ChainReader;
  readonly network: Network;
  /** Called between steps of a few milliseconds. @throws the reason of the abort if the client is gone */
  readonly throwIfCancelled: () => void;
}

/** A kind of query. */
export interface Query<Parameters> {
  /** Whether it may take longer than about 10 ms. Heavy queries never occupy all reader threads. */
  readonly isHeavy: (parameters: Parameters) => boolean;
  /** Returns serialized JSON. @throws RpcRefusal */
  readonly run: (context: QueryContext, parameters: Parameters) => Buffer;
}

/** Max bytes of a response (docs/protocol/rpc.md#limits). A sync response ends before it, but has at least one block. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** For responses that cannot be split. @throws RpcRefusal 400 if the response is too large */
export function refuseTooLarge({ length }: { readonly length: number }): void {
  if (length > MAX_RESPONSE_BYTES) {
    throw refuse(refusals.responseTooLarge, { maximum: String(MAX_RESPONSE_BYTES) });
  }
}
