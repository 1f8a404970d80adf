import { closeReasons, type CloseReason } from './close-reasons';
import type { BlockResult } from '../ports';

/* What the chain's answers to blocks (A1-A6, B, T) mean for those who brought them. */

/** Added, kept on a side branch, switched to, already there: after these the next block may follow. */
const accepted: ReadonlySet<string> = new Set(['A1', 'A2', 'A3', 'A4']);

export function isAccepted(result: BlockResult): boolean {
  return accepted.has(result.code);
}

/** What serving a block costs that the chain refused with `code`. */
export function blame(code: string): CloseReason {
  if (code === 'B9') return closeReasons.checkpointMismatch;
  if (code === 'B4') return closeReasons.tooEarlyBlock;
  // Blocks that fail for what we hold (no parent, branch too deep) are not the sender's doing.
  return /^[BT]\d+$|^A6$/.test(code) ? closeReasons.invalidBlock : closeReasons.orphans;
}
