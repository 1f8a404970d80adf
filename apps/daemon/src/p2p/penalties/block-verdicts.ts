import type { ReasonCode } from '@wrkz/consensus';
import { closeReasons, type CloseReason } from './close-reasons';

/** What serving a block costs that the chain refused with `code`. */
export function blame(code: ReasonCode): CloseReason {
  switch (code) {
    case 'CHECKPOINT_BLOCK_HASH_MISMATCH':
      return closeReasons.checkpointMismatch;
    case 'TIMESTAMP_TOO_FAR_IN_FUTURE':
      return closeReasons.tooEarlyBlock;
    // No parent, or a branch too deep: it fails for what we hold, which is not the sender's doing.
    case 'REJECTED_AS_ORPHANED':
      return closeReasons.orphans;
    default:
      return closeReasons.invalidBlock;
  }
}
