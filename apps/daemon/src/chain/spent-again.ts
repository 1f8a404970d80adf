import { CorruptDatabase, KeyImageSpent } from '@wrkz/chain-db';
import type { VerifiedBlock } from '@wrkz/consensus';

/**
 * Whether the database refused a block because an earlier block spends one of its key images. This can happen only in the
 * checkpoint zone, where no rule looks up key images. Elsewhere a rule has just found the key image unspent, so one of the two
 * lookups is wrong and the database is corrupt.
 *
 * @returns the height of the block at fault; undefined for an error of another kind
 * @throws CorruptDatabase
 */
export function spentAgainAt(error: unknown, blocks: readonly VerifiedBlock[]): number | undefined {
  if (!(error instanceof KeyImageSpent)) return undefined;
  const block = blocks.find(({ facts }) => facts.height === error.height);
  if (block?.checkpointed === true) return error.height;
  throw new CorruptDatabase(`a key image that was looked up as unspent is spent (${error.message})`, { cause: error });
}
