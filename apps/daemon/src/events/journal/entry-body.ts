import type {
  DamageEvent,
  DoubleSpendEvent,
  EventBlock,
  NodeEvent,
  RefusedBranchEvent,
  ReorganisationEvent,
} from '../node-events';
import { doubleSpendBody, refusedBranchBody } from '../topics';
import type { JournalEntry, JournalTopic } from './journal';

type Body = JournalEntry['body'];

/** An entry without its number and time. */
export type Told = readonly [topic: JournalTopic, body: Body];

const hex = (hash: Buffer): string => hash.toString('hex');

/** @param reorganised whether a reorganisation brought it, which stands before it */
export function toldBlock(block: Omit<EventBlock, 'previousHash'>, reorganised: boolean): Told {
  const { height, hash, timestamp, transactionHashes } = block;
  const body = { height, hash: hex(hash), timestamp, transaction_hashes: transactionHashes.map(hex) };
  return ['block', reorganised ? { ...body, reorganised } : body];
}

/** Counts and heights as the hook of reorganisations has them (docs/operations/events.md#topics). */
export function toldReorganisation(event: Omit<ReorganisationEvent, 'kind'>): Told {
  const { rootHeight, rootHash, added, removed } = event;
  const body = {
    split_height: rootHeight + 1,
    new_height: rootHeight + added.length,
    new_blocks: added.length,
    discarded_blocks: removed.length,
    common_root_height: rootHeight,
    common_root_hash: hex(rootHash),
    hashes: added.map(({ hash }) => hex(hash)),
    discarded_hashes: removed.map(({ hash }) => hex(hash)),
  };
  return ['reorganisation', body];
}

export function toldAlternative({ height, hash }: Extract<NodeEvent, { kind: 'alternative' }>): Told {
  return ['alternative', { height, hash: hex(hash) }];
}

export function toldTransaction(hash: Buffer): Told {
  return ['tx', { hash: hex(hash) }];
}

export function toldDamage({ page, table, heights, isRepaired }: Omit<DamageEvent, 'kind'>): Told {
  const [first, last] = heights ?? [];
  return ['damage', { page, table, first_height: first, last_height: last, repaired: isRepaired }];
}

export function toldRemoval(hashes: readonly Buffer[], reason: string): Told {
  return ['pool-removed', { hashes: hashes.map(hex), reason }];
}

export function toldDoubleSpend(event: DoubleSpendEvent): Told {
  return ['double-spend', doubleSpendBody(event)];
}

export function toldRefusedBranch(event: RefusedBranchEvent): Told {
  return ['refused-branch', refusedBranchBody(event)];
}
