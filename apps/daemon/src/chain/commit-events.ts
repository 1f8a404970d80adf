import type { RawBlock } from '@wrkz/core-types';
import type { BlockFacts, VerifiedBlock } from '@wrkz/consensus';
import type { AddedBlock, RemovedBlock } from './service';

/** What the commit event tells of a block of the main chain. */
export function addedBlock({ block, transactions, facts }: VerifiedBlock): AddedBlock {
  return {
    height: facts.height,
    hash: facts.hash,
    timestamp: facts.timestamp,
    coinbaseHash: block.coinbase.hash,
    transactionHashes: transactions.map((parsed) => parsed.hash),
    keyImages: transactions.flatMap((parsed) =>
      parsed.transaction.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
    ),
  };
}

/** What the commit event tells of a block that is no longer on the main chain; without its bytes nothing returns to the pool. */
export function removedBlock({ facts, raw }: { facts: BlockFacts; raw: RawBlock | undefined }): RemovedBlock {
  return { height: facts.height, hash: facts.hash, transactions: raw?.transactions ?? [] };
}
