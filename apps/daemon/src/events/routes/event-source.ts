import { daemonApi } from '@wrkz/api';
import type { z } from 'zod';
import { refuse, refuseGone } from '../../rpc/errors';
import { RequestSlots } from '../../util/request-slots';
import { EntriesGone, JOURNAL_TOPICS, type JournalTopic } from '../journal/entry';
import type { EventJournal } from '../journal/event-journal';
import type { JournalPage } from '../journal/reader';

/* Shared by the requests of `/events`: the query, cached pages, and the limit of waiting clients. */

export interface EventQuery {
  /** Undefined for new events only. */
  readonly after: number | undefined;
  readonly topics: readonly JournalTopic[];
  readonly limit: number;
  readonly waitSeconds: number;
}

interface Bounds<Default> {
  readonly min: number;
  readonly max: number;
  readonly default: Default;
}

const NUMBER: Bounds<undefined> = { min: 0, max: Number.MAX_SAFE_INTEGER, default: undefined };
const LIMIT: Bounds<number> = { min: 1, max: 1000, default: 100 };
const WAIT: Bounds<number> = { min: 0, max: 60, default: 0 };

/**
 * Parses the query and `Last-Event-ID`, which precedes `after`: a client that resumes a stream sends both.
 * @throws RpcRefusal
 */
export function parseEventQuery(
  query: z.output<typeof daemonApi.eventsQuery>,
  lastEventId: string | undefined,
): EventQuery {
  const isResumed = lastEventId !== undefined && lastEventId !== '';
  return {
    after: isResumed ? parseNumber('Last-Event-ID', lastEventId, NUMBER) : parseNumber('after', query.after, NUMBER),
    topics: parseTopics(query.topics),
    limit: parseNumber('limit', query.limit, LIMIT),
    waitSeconds: parseNumber('wait', query.wait, WAIT),
  };
}

function parseNumber<Default>(name: string, text: string | undefined, bounds: Bounds<Default>): number | Default {
  if (text === undefined) return bounds.default;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw refuse(daemonApi.refusals.wrongQuery, { name, expected: `a number from ${bounds.min} to ${bounds.max}` });
}

function parseTopics(text: string | undefined): readonly JournalTopic[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  const requested = new Set(names.filter((name) => name !== ''));
  const unknown = [...requested].find((name) => !(JOURNAL_TOPICS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const topic = unknown.slice(0, 64);
    throw refuse(daemonApi.refusals.unknownTopic, { topic, topics: JOURNAL_TOPICS.join(', ') });
  }
  return requested.size === 0 ? JOURNAL_TOPICS : JOURNAL_TOPICS.filter((topic) => requested.has(topic));
}

export interface EventSourceOptions {
  /** Max waiting clients. */
  readonly maxClients: number;
  /** Aborts when the node stops: waiting requests get their response. */
  readonly stopping: AbortSignal;
  /** Milliseconds without an event after which a stream sends a comment. */
  readonly heartbeatMs?: number;
}

/** Max waiting clients of one address, loopback exempt. */
export const MAX_WAITING_PER_ADDRESS = 8;
const HEARTBEAT_MS = 15_000;
/** Max cached pages, each at most some hundred kilobytes. */
const MAX_CACHED_PAGES = 32;

/** The event that ended a wait. */
export type WakeReason = 'entries' | 'timeout' | 'aborted';

/** The journal for waiting clients. Clients at the newest entries share cached pages until the next entry. */
export class EventSource {
  readonly stopping: AbortSignal;
  readonly heartbeatMs: number;
  private readonly pages = new Map<string, JournalPage>();
  /** Slots of clients that wait for events. */
  private readonly slots: RequestSlots;

  constructor(
    private readonly journal: Pick<EventJournal, 'latest' | 'page' | 'onEntry'>,
    { maxClients, stopping, heartbeatMs = HEARTBEAT_MS }: EventSourceOptions,
  ) {
    this.stopping = stopping;
    this.heartbeatMs = heartbeatMs;
    this.slots = new RequestSlots({ total: maxClients, perAddress: MAX_WAITING_PER_ADDRESS });
    journal.onEntry(() => this.pages.clear());
  }

  latest(): number {
    return this.journal.latest();
  }

  /** @throws RpcRefusal if the entries are gone, or the journal cannot be read */
  page({ topics, limit }: Pick<EventQuery, 'topics' | 'limit'>, after: number): JournalPage {
    try {
      const page = this.cachedPage(after, topics, limit);
      if (page !== undefined) return page;
    } catch (error) {
      if (error instanceof EntriesGone) throw refuseGone(after, error.keptAfter, error.latest);
      throw error;
    }
    throw refuse(daemonApi.refusals.noJournal);
  }

  /** Counts a waiting client. @returns a function that releases its slot @throws RpcRefusal if a limit is reached */
  acquire(client: string): () => void {
    const release = this.slots.take(client);
    if (release === 'total') throw refuse(daemonApi.refusals.tooManyWait);
    if (release === 'address') throw refuse(daemonApi.refusals.tooManyWaitHere);
    return release;
  }

  /** Waits for the next entry, the timeout in milliseconds, the client's disconnect, or the stop of the node. */
  wait(timeoutMs: number, gone: AbortSignal): Promise<WakeReason> {
    const signals = [gone, this.stopping];
    return new Promise((resolve) => {
      const wake = (reason: WakeReason): void => {
        clearTimeout(timer);
        unsubscribe();
        for (const signal of signals) signal.removeEventListener('abort', onAbort);
        resolve(reason);
      };
      const onAbort = (): void => wake('aborted');
      const timer = setTimeout(() => wake('timeout'), timeoutMs);
      const unsubscribe = this.journal.onEntry(() => wake('entries'));
      for (const signal of signals) signal.addEventListener('abort', onAbort);
      if (signals.some(({ aborted }) => aborted)) wake('aborted');
    });
  }

  private cachedPage(after: number, topics: readonly JournalTopic[], limit: number): JournalPage | undefined {
    if (after < this.journal.latest() - limit) return this.journal.page(after, topics, limit);
    const key = `${after} ${limit} ${topics.join()}`;
    const page = this.pages.get(key) ?? this.journal.page(after, topics, limit);
    if (page === undefined) return undefined;
    if (this.pages.size >= MAX_CACHED_PAGES) this.pages.clear();
    this.pages.set(key, page);
    return page;
  }
}
