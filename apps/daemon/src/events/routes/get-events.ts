import { daemonApi } from '@wrkz/api';
import { ANSWERED, FinishedJson, type RouteRequest } from '@wrkz/service-kit';
import { GUARDED, route } from '../../rpc/declare';
import type { JournalPage } from '../journal/reading';
import type { EventSource } from './event-source';
import { printPage } from './print';
import { EventStream } from './stream';
import { enterOrRefuse, pageOf, untilEntries } from './waiting';
import { type EventWish, readWish } from './wish';

const { refusals } = daemonApi;

export const getEvents = route({
  method: 'GET',
  path: '/events',
  summary:
    'What happens in the node, each event with a number that only grows; waits for events, or sends them as a stream ' +
    '(Accept: text/event-stream, Last-Event-ID).',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'node' },
  query: daemonApi.eventsQuery,
  answer: daemonApi.eventsAnswer,
  errors: [
    refusals.wrongType,
    refusals.wrongQuery,
    refusals.unknownTopic,
    refusals.eventsGone,
    refusals.tooManyWaitHere,
    refusals.tooManyWait,
    refusals.noJournal,
    refusals.internal,
  ],
  handle: async ({ events }, request) => {
    const { headers, method } = request.http.request;
    const wish = readWish(request.query, singleHeader(headers['last-event-id']));
    const first = pageOf(events, wish, wish.after ?? events.latest());
    // Who asks for the head alone wants no events.
    if (method === 'GET' && wantsStream(headers.accept)) return stream(events, wish, first, request);
    const waits = wish.wait > 0 && method === 'GET' && first.entries.length === 0;
    return new FinishedJson(printPage(waits ? await wait(events, wish, first, request) : first));
  },
});

type Caller = Pick<RouteRequest, 'client' | 'gone' | 'http'>;

async function stream(
  source: EventSource,
  wish: EventWish,
  first: JournalPage,
  { client, gone, http }: Caller,
): Promise<typeof ANSWERED> {
  const leave = enterOrRefuse(source, client);
  try {
    await new EventStream(source, wish, first, http.response, gone).run();
  } finally {
    leave();
  }
  return ANSWERED;
}

async function wait(
  source: EventSource,
  wish: EventWish,
  first: JournalPage,
  { client, gone }: Caller,
): Promise<JournalPage> {
  const leave = enterOrRefuse(source, client);
  try {
    const until = performance.now() + wish.wait * 1000;
    const signals = [gone, source.stopping];
    let page = first;
    while (page.entries.length === 0) {
      const time = Math.max(0, until - performance.now());
      const woken = await untilEntries(source, { time, signals });
      if (woken !== 'entries') break;
      page = pageOf(source, wish, page.next);
    }
    return page;
  } finally {
    leave();
  }
}

function wantsStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((entry) => entry.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
