import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';

/** What a query works with. */
export interface QueryTools {
  readonly reader: ChainReader;
  readonly network: Network;
  /** Called between steps of some milliseconds at most. @throws the reason when nobody waits for the answer any more */
  readonly throwIfGone: () => void;
}

/** One kind of read. */
export interface Query<Asked> {
  /** Whether it may take longer than some ten milliseconds; such ones never occupy all readers. */
  readonly isHeavy: (asked: Asked) => boolean;
  /** Finished JSON. @throws RpcRefusal for what the query itself refuses */
  readonly answer: (tools: QueryTools, asked: Asked) => Buffer;
}
