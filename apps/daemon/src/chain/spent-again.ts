import { CorruptDatabase, KeyImageSpent } from '@wrkz/chain-db';
import type { VerifiedBlock } from '@wrkz/consensus';

/**
 * Whether the database refused a block for a key image that a block below it really spends. That can be in the checkpoint
 * zone alone, where no rule looks images up. Outside of it the rules have just found the image unspent, so one of the two
 * look-ups is wrong.
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
