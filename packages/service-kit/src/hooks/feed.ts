import type { HookEvent } from './event';

/** One remembered thing. Numbers only grow. */
export interface FeedEntry {
  readonly number: number;
  /** Undefined where it is none of this hook's: it is passed over. */
  readonly event: HookEvent | undefined;
}

/** What is remembered for a while, as one hook sees it: what durable receivers read from. */
export interface EventFeed {
  /** The number of the newest entry of any kind, 0 for none. */
  latest(): number;
  /**
   * Up to `limit` entries above a number, ascending; none while it cannot be read.
   * @throws FeedGap when some above it are no longer there, or the number is none of this feed's
   */
  after(number: number, limit: number): readonly FeedEntry[];
  /** Calls whenever more may be there. @returns ends it */
  onEntry(listener: () => void): () => void;
}

/** Entries that a receiver has not had yet were dropped because of their age. */
export class FeedGap extends Error {
  override readonly name = 'FeedGap';
  /** @param resumeAfter all above this number are still there */
  constructor(readonly resumeAfter: number) {
    super(`the entries up to ${String(resumeAfter)} are no longer kept`);
  }
}
