import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { withController, yieldToEventLoop } from '@wrkz/service-kit';
import type { JournalPage, PrintedEntry } from '../journal/reader';
import type { EventQuery, EventSource } from './event-source';

/** Max events of one write. */
const MAX_BATCH = 100;
/** Milliseconds after which a client reconnects. */
const RETRY_MS = 3_000;

/**
 * Sends events until the client disconnects or the node stops. The next page is read only after the previous one was sent, so
 * events for a slow client stay in the journal and not in memory. The write timeout of the server disconnects a client that reads
 * nothing.
 */
export class EventStream {
  /** The client has all events up to this number once it has read the response. */
  private sent: number;

  constructor(
    private readonly source: EventSource,
    private readonly query: EventQuery,
    first: JournalPage,
    private readonly response: ServerResponse,
    private readonly gone: AbortSignal,
  ) {
    this.sent = query.after ?? first.latest;
  }

  async run(): Promise<void> {
    await this.start();
    for (let page = this.page(); page !== undefined; page = await this.nextPage()) {
      if (page.entries.length > 0) await this.write(page.entries.map(printServerSent).join(''));
      this.sent = page.next;
    }
    this.response.end();
  }

  private async start(): Promise<void> {
    const { response } = this;
    response.statusCode = 200;
    response.setHeader('Content-Type', 'text/event-stream');
    // Proxies such as nginx would buffer the response.
    response.setHeader('X-Accel-Buffering', 'no');
    await this.write(`retry: ${RETRY_MS}\nid: ${this.sent}\n\n`);
  }

  private async nextPage(): Promise<JournalPage | undefined> {
    while (!this.gone.aborted && !this.source.stopping.aborted) {
      const page = this.page();
      if (page === undefined || page.entries.length > 0) {
        await yieldToEventLoop();
        return page;
      }
      this.sent = page.next;
      // Heartbeats advance the id too: otherwise the position of a client of rare topics would expire with the retained entries.
      const reason = await this.source.wait(this.source.heartbeatMs, this.gone);
      if (reason === 'timeout') await this.write(`: heartbeat\nid: ${this.sent}\n\n`);
    }
    return undefined;
  }

  /** Undefined ends the stream: the client reconnects with the last number and gets the error response. */
  private page(): JournalPage | undefined {
    try {
      return this.source.page({ ...this.query, limit: MAX_BATCH }, this.sent);
    } catch {
      return undefined;
    }
  }

  /** Resolves when the text was passed to the network, the client has disconnected, or the node stops. */
  private async write(text: string): Promise<void> {
    if (this.gone.aborted || this.response.write(text)) return;
    const ends = [this.gone, this.source.stopping];
    await withController(ends, ({ signal }) => once(this.response, 'drain', { signal })).catch(() => undefined);
  }
}

/** An event as JSON. Its body is already JSON text. */
function printEvent({ number, topic, time, body }: PrintedEntry): string {
  return `{"data":${body},"number":${number},"time":${time},"topic":"${topic}"}`;
}

/** The response of `/events` as JSON. */
export function printPage({ journal, entries, next, latest, keptAfter }: JournalPage): string {
  const events = entries.map(printEvent).join(',');
  const numbers = `"kept_after":${keptAfter},"latest":${latest},"next":${next}`;
  return `{"events":[${events}],"journal":"${journal}",${numbers},"status":"OK"}`;
}

function printServerSent(entry: PrintedEntry): string {
  return `id: ${entry.number}\nevent: ${entry.topic}\ndata: ${printEvent(entry)}\n\n`;
}
