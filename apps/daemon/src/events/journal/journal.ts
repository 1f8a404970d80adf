/** What an entry tells of; clients choose by these. */
export const JOURNAL_TOPICS = ['block', 'alternative', 'reorganisation', 'tx', 'pool-removed'] as const;

export type JournalTopic = (typeof JOURNAL_TOPICS)[number];

/** One line of the journal. */
export interface JournalEntry {
  /** Only grows, over restarts too. Numbers may be left out. */
  readonly number: number;
  readonly topic: JournalTopic;
  /** Unix milliseconds at which it was written down. */
  readonly time: number;
  /** What clients are given, ready for JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What those who must not lose an event read from. */
export interface JournalFeed {
  /** The number of the newest entry, 0 for none. */
  latest(): number;
  /**
   * Up to `limit` entries above `after`, ascending; of the named topics only.
   *
   * @throws EntriesGone when some above `after` are no longer kept
   */
  after(after: number, topics: readonly JournalTopic[], limit: number): JournalEntry[];
  /** Calls once more entries are there. @returns ends it */
  onEntry(listener: () => void): () => void;
}

/** Entries that were asked for are no longer kept. */
export class EntriesGone extends Error {
  /** @param keptAfter the lowest number from which on nothing is missing: reading may go on after it */
  constructor(
    readonly asked: number,
    readonly keptAfter: number,
  ) {
    super(`events after ${asked} are no longer kept; what is kept begins after ${keptAfter}`);
    this.name = 'EntriesGone';
  }
}
