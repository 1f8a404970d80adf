import { spentKeyImages } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import type { BlockFacts, VerifiedBlock } from '@wrkz/consensus';
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

/** A block in a commit event that left the main chain. Without its bytes no transaction returns to the pool. */
export function removedBlock({ facts, raw }: { facts: BlockFacts; raw: RawBlock | undefined }): RemovedBlock {
  return { height: facts.height, hash: facts.hash, transactions: raw?.transactions ?? [] };
}
