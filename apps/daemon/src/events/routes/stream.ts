import type { ServerResponse } from 'node:http';
import { yieldToEventLoop } from '@wrkz/service-kit';
import type { JournalPage } from '../journal/reading';
import type { EventSource } from './event-source';
import { printSent } from './print';
import { pageOf, untilEntries } from './waiting';
import type { EventWish } from './wish';

/** Events that one write carries at most. */
const A_WRITE = 100;
/** Milliseconds after which a client that was cut off comes again. */
const RETRY = 3_000;

/**
 * Sends events as they come until the client leaves or the node stops. The next page is read only when the one before has
 * left for the network: what a slow reader has not taken stays in the journal and not in memory, and one that takes nothing
 * is cut off by the server's own time limit.
 */
export class EventStream {
  /** What the client is known to have, when it takes what was written. */
  private told: number;

  constructor(
    private readonly source: EventSource,
    private readonly wish: EventWish,
    first: JournalPage,
    private readonly response: ServerResponse,
    private readonly gone: AbortSignal,
  ) {
    this.told = wish.after ?? first.latest;
  }

  async run(): Promise<void> {
    await this.greet();
    for (let page = this.page(); page !== undefined; page = await this.nextPage()) {
      const text = page.entries.map(printSent).join('');
      // Without an event the number goes on by itself, or one who wants rare topics would fall behind what is kept.
      if (text !== '') await this.write(text);
      this.told = page.next;
    }
    this.response.end();
  }

  private get ended(): boolean {
    return this.gone.aborted || this.source.stopping.aborted;
  }

  private async greet(): Promise<void> {
    const { response } = this;
    response.statusCode = 200;
    response.setHeader('Content-Type', 'text/event-stream');
    // Proxies that gather answers would hold the events back.
    response.setHeader('X-Accel-Buffering', 'no');
    await this.write(`retry: ${RETRY}\nid: ${this.told}\n\n`);
  }

  private async nextPage(): Promise<JournalPage | undefined> {
    while (!this.ended) {
      const page = this.page();
      if (page === undefined || page.entries.length > 0) {
        // Others get their turn while somebody catches up.
        await yieldToEventLoop();
        return page;
      }
      this.told = page.next;
      const time = this.source.heartbeat;
      const woken = await untilEntries(this.source, { time, signals: [this.gone, this.source.stopping] });
      if (woken === 'time') await this.write(`: heartbeat\nid: ${this.told}\n\n`);
    }
    return undefined;
  }

  /** undefined ends the stream: the client comes again with the last number, and is told why there is no more. */
  private page(): JournalPage | undefined {
    try {
      return pageOf(this.source, { ...this.wish, limit: A_WRITE }, this.told);
    } catch {
      return undefined;
    }
  }

  /** Resolves when the text has left for the network, or the client is gone. */
  private async write(text: string): Promise<void> {
    if (this.gone.aborted || this.response.write(text)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.response.off('drain', go);
        this.gone.removeEventListener('abort', go);
        this.source.stopping.removeEventListener('abort', go);
        resolve();
      };
      this.response.on('drain', go);
      this.gone.addEventListener('abort', go);
      this.source.stopping.addEventListener('abort', go);
    });
  }
}
