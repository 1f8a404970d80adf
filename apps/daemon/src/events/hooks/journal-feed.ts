import { type EventFeed, FeedGap } from '@wrkz/service-kit';
import { EntriesGone, JOURNAL_TOPICS, type JournalFeed } from '../journal/journal';
import { type NodeHook, notificationOfEntry } from './hook-events';

/**
 * The journal as a durable hook reads it. All topics are asked for: a position may only move over what was seen, since a
 * journal that cannot be read answers nothing.
 */
export function journalHookFeed(journal: JournalFeed, hook: NodeHook): EventFeed {
  return {
    latest: () => journal.latest(),
    onEntry: (listener) => journal.onEntry(listener),
    after(number, limit) {
      try {
        return journal.after(number, JOURNAL_TOPICS, limit).map((entry) => {
          const notification = notificationOfEntry(entry);
          return { number: entry.number, event: notification?.hook === hook ? notification.event : undefined };
        });
      } catch (error) {
        throw error instanceof EntriesGone ? new FeedGap(error.keptAfter) : error;
      }
    },
  };
}
