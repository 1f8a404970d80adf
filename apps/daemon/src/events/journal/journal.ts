/** What an entry tells of; clients choose by these. */
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
  /** The number of the newest entry, or of the place where the journal begins; 0 while there is no journal. */
  latest(): number;
  /**
   * Up to `limit` entries above `after` (0: from the first one that is kept), ascending; of the named topics only. There may
   * be fewer than `limit` although more follow: only an empty list says that none does.
   *
   * @throws EntriesGone when some above `after` are no longer kept
   */
  after(after: number, topics: readonly JournalTopic[], limit: number): JournalEntry[];
  /** Calls once more entries are there, or entries are gone. @returns ends it */
  onEntry(listener: () => void): () => void;
}

/** Entries that were asked for are no longer kept, or the number is none that this journal has given. */
export class EntriesGone extends Error {
  override readonly name = 'EntriesGone';

  /** @param keptAfter reading may go on after it, with whatever was in between lost @param latest the highest number given */
  constructor(
    readonly asked: number,
    readonly keptAfter: number,
    readonly latest: number,
  ) {
    super(`events after ${asked} are not kept; what is kept begins after ${keptAfter} and ends with ${latest}`);
  }
}
