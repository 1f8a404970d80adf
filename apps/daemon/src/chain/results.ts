import type { RawBlock } from '@wrkz/core-types';
import { type BlockFacts, type ReasonCode, REASONS, type RuleFailure, type VerifiedBlock } from '@wrkz/consensus';
import type { AddedBlock, AddResult, RemovedBlock } from './service';

type Verdict = Extract<ReasonCode, `A${string}`>;

/** The answer for a block that has a hash. */
export function verdict(code: Verdict, hash: Buffer, height?: number): AddResult {
  return { code, message: REASONS[code].text, hash, ...(height === undefined ? {} : { height }) };
}

export function unreadable(): AddResult {
  return { code: 'A6', message: REASONS.A6.text };
}

export function refused(failure: RuleFailure, hash: Buffer): AddResult {
  const { code, message, transactionHash } = failure;
  return { code, message, hash, ...(transactionHash === undefined ? {} : { transactionHash }) };
}

/** What the commit event tells of a block of the main chain. */
export function addedBlock({ transactions, facts }: VerifiedBlock): AddedBlock {
  return {
    height: facts.height,
    hash: facts.hash,
    timestamp: facts.timestamp,
    transactionHashes: transactions.map((parsed) => parsed.hash),
    keyImages: transactions.flatMap((parsed) =>
      parsed.transaction.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
    ),
  };
}

/** What the commit event tells of a block that is no longer on the main chain. */
export function removedBlock({ facts, raw }: { facts: BlockFacts; raw: RawBlock }): RemovedBlock {
  return { height: facts.height, hash: facts.hash, transactions: raw.transactions };
}
