import { countedAddress, isLoopback } from '@wrkz/service-kit';
import type { EventJournal } from '../journal/event-journal';
import type { JournalTopic } from '../journal/journal';
import type { JournalPage } from '../journal/reading';

/** Why nobody more may wait. */
export type WaitRefusal = 'all' | 'address';

/** What `/events` answers from. */
export interface EventSource {
  latest(): number;
  /** undefined while there is no journal that can be read. @throws EntriesGone */
  page(after: number, topics: readonly JournalTopic[], limit: number): JournalPage | undefined;
  onEntry(listener: () => void): () => void;
  /** Takes a place among those who wait. @returns gives it back, or says why there is none */
  enter(client: string): (() => void) | WaitRefusal;
  /** Fires when the node stops: whoever waits is answered. */
  readonly stopping: AbortSignal;
  /** Milliseconds of silence after which a stream says that it lives. */
  readonly heartbeat: number;
}

export interface EventSourceOptions {
  /** Callers that may wait at once. */
  readonly maxClients: number;
  readonly stopping: AbortSignal;
  readonly heartbeat?: number;
}

/** Callers of one address that may wait at once; those of this machine are not counted by it. */
export const WAITING_PER_ADDRESS = 8;
const HEARTBEAT = 15_000;

/** The journal for callers who wait. Those who ask for the same page share it until something new comes. */
export function eventSource(
  journal: Pick<EventJournal, 'latest' | 'page' | 'onEntry'>,
  { maxClients, stopping, heartbeat = HEARTBEAT }: EventSourceOptions,
): EventSource {
  const pages = new Map<string, JournalPage | undefined>();
  journal.onEntry(() => pages.clear());
  const clients = new Map<string, number>();
  let inside = 0;
  return {
    latest: () => journal.latest(),
    onEntry: (listener) => journal.onEntry(listener),
    page: (after, topics, limit) => {
      // Only the newest pages are asked for by many.
      if (after < journal.latest() - limit) return journal.page(after, topics, limit);
      const key = `${after} ${limit} ${topics.join()}`;
      if (!pages.has(key)) pages.set(key, journal.page(after, topics, limit));
      return pages.get(key);
    },
    enter: (client) => {
      const address = countedAddress(client);
      const own = clients.get(address) ?? 0;
      if (inside >= maxClients) return 'all';
      if (own >= WAITING_PER_ADDRESS && !isLoopback(client)) return 'address';
      inside += 1;
      clients.set(address, own + 1);
      return () => {
        inside -= 1;
        const left = (clients.get(address) ?? 1) - 1;
        if (left === 0) clients.delete(address);
        else clients.set(address, left);
      };
    },
    stopping,
    heartbeat,
  };
}
