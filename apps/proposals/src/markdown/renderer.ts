import { LRUCache } from 'lru-cache';
import { workerEntry, WorkerThread } from '@wrkz/service-kit/base';
import type { Logger } from '@wrkz/service-kit';
import type { MarkdownThread } from './protocol';

/** Characters of rendered texts that are held. */
const HELD = 16 * 1024 * 1024;

/** Renders Markdown in a thread of its own, each text once as long as it is held. */
export class MarkdownRenderer {
  private readonly held = new LRUCache<string, Promise<string>>({
    maxSize: HELD,
    // a long text and what becomes of it; the markup of a table is some six times its source
    sizeCalculation: (_rendered, text) => 1024 + 8 * text.length,
  });
  private readonly logger: Logger;
  private thread: WorkerThread<MarkdownThread> | undefined;
  private closed = false;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** Inert markup. @throws Error when the thread ended; the next call has another one */
  render(markdown: string): Promise<string> {
    return this.once('render', markdown);
  }

  /** The first words. @throws as `render` */
  excerpt(markdown: string): Promise<string> {
    return this.once('excerpt', markdown);
  }

  private once(name: 'excerpt' | 'render', markdown: string): Promise<string> {
    const key = `${name} ${markdown}`;
    const held = this.held.get(key);
    if (held !== undefined) return held;
    const made = this.running().call(name, markdown);
    this.held.set(key, made);
    made.catch(() => this.held.delete(key));
    return made;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.thread?.close();
  }

  private running(): WorkerThread<MarkdownThread> {
    if (this.thread?.alive === true || (this.closed && this.thread !== undefined)) return this.thread;
    return (this.thread = new WorkerThread<MarkdownThread>({
      entry: workerEntry(__dirname, 'worker'),
      setup: {},
      onFailed: (error) => this.logger.error(`the thread that renders texts ended: ${error.message}`),
    }));
  }
}
