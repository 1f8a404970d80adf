/** A value in the body of a webhook. A bigint is written as an exact integer. */
export type HookField = string | number | bigint | boolean;

/** An event for the receivers of a hook. */
export interface HookEvent {
  /** The first field of the body of a webhook. */
  readonly event: string;
  /** Values of `%s`, `%h`... in a command, by letter. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** The other fields of the body, in this order. */
  readonly fields: Readonly<Record<string, HookField>>;
}

/** An entry of a feed. Numbers are ascending. */
export interface FeedEntry {
  readonly number: number;
  /** Undefined if the entry does not concern the hook. */
  readonly event: HookEvent | undefined;
}

/** Stored events, from which durable receivers read. */
export interface EventFeed {
  /** Number of the newest entry of any kind; 0 for none. */
  latest(): number;
  /**
   * Up to `limit` entries above a number, ascending; none while the feed cannot be read.
   * @throws FeedGap if entries above the number were deleted, or the number belongs to another feed
   */
  after(number: number, limit: number): readonly FeedEntry[];
  /** Calls the listener when there may be new entries. @returns unsubscribes */
  onEntry(listener: () => void): () => void;
}

/** Entries that a receiver has not received were deleted because of their age. */
export class FeedGap extends Error {
  override readonly name = 'FeedGap';
  /** @param resumeAfter all entries above this number exist */
  constructor(readonly resumeAfter: number) {
    super(`the entries up to ${String(resumeAfter)} are no longer kept`);
  }
}
