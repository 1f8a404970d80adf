import { daemonApi } from '@wrkz/api';
import { refuse, refuseGone } from '../../rpc/errors';
import { EntriesGone } from '../journal/journal';
import type { JournalPage } from '../journal/reading';
import type { EventSource } from './event-source';
import type { EventWish } from './wish';

/** A page, with what can go wrong as refusals. @throws RpcRefusal */
export function pageOf(source: EventSource, { topics, limit }: EventWish, after: number): JournalPage {
  try {
    const page = source.page(after, topics, limit);
    if (page !== undefined) return page;
  } catch (error) {
    if (error instanceof EntriesGone) throw refuseGone(after, error.keptAfter, error.latest);
    throw error;
  }
  throw refuse(daemonApi.refusals.noJournal);
}

/** Takes a place among those who wait. @returns gives it back @throws RpcRefusal */
export function enterOrRefuse(source: EventSource, client: string): () => void {
  const entered = source.enter(client);
  if (typeof entered === 'function') return entered;
  throw refuse(daemonApi.refusals[entered === 'all' ? 'tooManyWait' : 'tooManyWaitHere']);
}

/** Who waits; `signals` end it. */
export interface Patience {
  /** Milliseconds. */
  readonly time: number;
  readonly signals: readonly AbortSignal[];
}

export type Woken = 'entries' | 'time' | 'ended';

/** Waits until more entries are there, or the time is over, or a signal fires. */
export function untilEntries(source: EventSource, { time, signals }: Patience): Promise<Woken> {
  return new Promise((resolve) => {
    const wake = (why: Woken): void => {
      clearTimeout(timer);
      ignore();
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
      resolve(why);
    };
    const onAbort = (): void => wake('ended');
    const timer = setTimeout(() => wake('time'), time);
    const ignore = source.onEntry(() => wake('entries'));
    for (const signal of signals) signal.addEventListener('abort', onAbort);
    if (signals.some(({ aborted }) => aborted)) wake('ended');
  });
}
