import { daemonApi } from '@wrkz/api';
import { RESPONSE_SENT, FinishedJson, type RouteRequest } from '@wrkz/service-kit';
import { guarded, route } from '../../rpc/declare';
import type { JournalPage } from '../journal/reader';
import { type EventQuery, type EventSource, parseEventQuery } from './event-source';
import { EventStream, printPage } from './stream';

const { refusals } = daemonApi;

export const getEvents = route({
  method: 'GET',
  path: '/events',
  summary:
    'What happens in the node, each event with a number that only grows; waits for events, or sends them as a stream ' +
    '(Accept: text/event-stream, Last-Event-ID).',
  ...guarded('node'),
  query: daemonApi.eventsQuery,
  response: daemonApi.eventsResponse,
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
    const query = parseEventQuery(request.query, singleHeader(headers['last-event-id']));
    const first = events.page(query, query.after ?? events.latest());
    // HEAD neither waits nor streams.
    if (method === 'GET' && acceptsStream(headers.accept)) return stream(events, query, first, request);
    const waits = query.waitSeconds > 0 && method === 'GET' && first.entries.length === 0;
    return new FinishedJson(printPage(waits ? await wait(events, query, first, request) : first));
  },
});

type Client = Pick<RouteRequest, 'client' | 'gone' | 'http'>;

async function stream(
  source: EventSource,
  query: EventQuery,
  first: JournalPage,
  { client, gone, http }: Client,
): Promise<typeof RESPONSE_SENT> {
  const release = source.acquire(client);
  try {
    await new EventStream(source, query, first, http.response, gone).run();
  } finally {
    release();
  }
  return RESPONSE_SENT;
}

async function wait(
  source: EventSource,
  query: EventQuery,
  first: JournalPage,
  { client, gone }: Client,
): Promise<JournalPage> {
  const release = source.acquire(client);
  try {
    const deadline = performance.now() + query.waitSeconds * 1000;
    let page = first;
    while (page.entries.length === 0) {
      if ((await source.wait(Math.max(0, deadline - performance.now()), gone)) !== 'entries') break;
      page = source.page(query, page.next);
    }
    return page;
  } finally {
    release();
  }
}

function acceptsStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((entry) => entry.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
