import type { BlockFacts } from '@wrkz/consensus';
import type { StorableTransaction } from '../writer/append';

/** An output as the rules read it. */
export interface RestoredOutput {
  readonly amount: bigint;
  readonly key: Buffer;
  readonly unlockTime: bigint;
  /** Among the outputs of its transaction. */
  readonly position: number;
}

/**
 * A block of a damaged database as it was found whole, or as it was made again from bytes that hash to its id. It goes into
 * the new database as it is: it was judged by every rule before it was stored for the first time.
 */
export type RestoredBlock = { readonly facts: BlockFacts; readonly parent: Buffer | undefined } & (
  | {
      readonly kind: 'transactions';
      /** Header and parent block; undefined where the new database keeps no bodies. */
      readonly body: Buffer | undefined;
      /** Coinbase first. */
      readonly transactions: readonly StorableTransaction[];
    }
  | {
      /** Below the height of a lite node: in the order in which the block brought them. */
      readonly kind: 'reduced';
      readonly outputs: readonly RestoredOutput[];
      readonly images: readonly Buffer[];
    }
);
