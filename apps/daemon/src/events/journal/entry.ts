import { toHex } from '@wrkz/core-types';
import type {
  AlternativeEvent,
  DamageEvent,
  DoubleSpendEvent,
  EventBlock,
  RefusedBranchEvent,
  ReorganisationEvent,
} from '../node-events';
import { doubleSpendBody, refusedBranchBody } from '../topics';

/** Topics of entries. The file stores the index in this list. */
export const JOURNAL_TOPICS = [
  'block',
  'alternative',
  'reorganisation',
  'tx',
  'pool-removed',
  'damage',
  'double-spend',
  'refused-branch',
] as const;

export type JournalTopic = (typeof JOURNAL_TOPICS)[number];

export interface JournalEntry {
  /** Strictly increasing, also across restarts. Numbers may be skipped. */
  readonly number: number;
  readonly topic: JournalTopic;
  /** When the event happened, Unix milliseconds. */
  readonly time: number;
  /** The JSON that clients receive (docs/operations/events.md#topics). */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The requested entries were deleted, or this journal never assigned the number. */
export class EntriesGone extends Error {
  override readonly name = 'EntriesGone';

  /** @param keptAfter the number after which reading can resume @param latest the highest assigned number */
  constructor(
    readonly after: number,
    readonly keptAfter: number,
    readonly latest: number,
  ) {
    super(`events after ${after} are not available: the journal has those from ${keptAfter + 1} to ${latest}`);
  }
}

/** Topic and body of an entry. */
export type EntryContent = readonly [topic: JournalTopic, body: JournalEntry['body']];

/** @param reorganised whether the block belongs to the reorganisation of the previous entry */
export function blockEntry(block: Omit<EventBlock, 'previousHash'>, reorganised: boolean): EntryContent {
  const { height, hash, timestamp, transactionHashes } = block;
  const body = { height, hash: toHex(hash), timestamp, transaction_hashes: transactionHashes.map(toHex) };
  return ['block', reorganised ? { ...body, reorganised } : body];
}

/** Counts and heights as in the hook (docs/operations/events.md#topics). */
export function reorganisationEntry(event: Omit<ReorganisationEvent, 'kind'>): EntryContent {
  const { rootHeight, rootHash, added, removed } = event;
  const body = {
    split_height: rootHeight + 1,
    new_height: rootHeight + added.length,
    new_blocks: added.length,
    discarded_blocks: removed.length,
    common_root_height: rootHeight,
    common_root_hash: toHex(rootHash),
    hashes: added.map(({ hash }) => toHex(hash)),
    discarded_hashes: removed.map(({ hash }) => toHex(hash)),
  };
  return ['reorganisation', body];
}

export function transactionEntry(hash: Buffer): EntryContent {
  return ['tx', { hash: toHex(hash) }];
}

export function removalEntry(hashes: readonly Buffer[], reason: string): EntryContent {
  return ['pool-removed', { hashes: hashes.map(toHex), reason }];
}

/** The entry of an event that changes neither chain nor pool. */
export function reportEntry(
  event: AlternativeEvent | DamageEvent | DoubleSpendEvent | RefusedBranchEvent,
): EntryContent {
  switch (event.kind) {
    case 'alternative':
      return ['alternative', { height: event.height, hash: toHex(event.hash) }];
    case 'damage': {
      const { page, table, heights, isRepaired } = event;
      const [first, last] = heights ?? [];
      return ['damage', { page, table, first_height: first, last_height: last, repaired: isRepaired }];
    }
    case 'double-spend':
      return ['double-spend', doubleSpendBody(event)];
    case 'refused-branch':
      return ['refused-branch', refusedBranchBody(event)];
  }
}
