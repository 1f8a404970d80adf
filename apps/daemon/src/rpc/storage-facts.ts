import type { FloorHeights } from '@wrkz/chain-db';

/** What the options say of storage. */
export interface StorageFacts {
  readonly prune: boolean;
  /** Blocks that a pruned node of this configuration keeps, whether it is one or not. */
  readonly pruneDepth: number;
}

/** Whether bodies are dropped, or were by an earlier start: what is gone stays gone until a resync. */
export function isPruned({ bodies, lite }: FloorHeights, { prune }: StorageFacts): boolean {
  return lite === undefined && (prune || bodies > 0);
}
