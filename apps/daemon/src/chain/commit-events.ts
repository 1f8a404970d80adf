import { spentKeyImages } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import type { BlockFacts, Checkpoints, VerifiedBlock } from '@wrkz/consensus';
import type { AddedBlock, RemovedBlock } from './service';

/** A block of the main chain in a commit event. */
export function addedBlock({ block, transactions, facts }: VerifiedBlock): AddedBlock {
  return {
    height: facts.height,
    hash: facts.hash,
    timestamp: facts.timestamp,
    coinbaseHash: block.coinbase.hash,
    transactionHashes: transactions.map((parsed) => parsed.hash),
    keyImages: transactions.flatMap(({ transaction }) => spentKeyImages(transaction)),
  };
}

/**
 * A block in a commit event that left the main chain. Without its bytes no transaction returns to the pool, nor does one of the
 * checkpoint zone: blocks there cost no work and prove no signature, so false ones would give the pool many minutes of proofs to check.
 */
export function removedBlock(
  { facts, raw }: { readonly facts: BlockFacts; readonly raw: RawBlock | undefined },
  checkpoints: Checkpoints,
): RemovedBlock {
  const { height, hash } = facts;
  return { height, hash, transactions: checkpoints.covers(height) ? [] : (raw?.transactions ?? []) };
}
