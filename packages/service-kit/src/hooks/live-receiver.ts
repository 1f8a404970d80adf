import { randomUUID } from 'node:crypto';
import type { HookEvent } from './event';
import type { DeliverEvent, Tally } from './receiver';

/** Events that may wait for one receiver. */
export const HOOK_QUEUE = 1024;
const DROP_LOG_EVERY = 1000;

export interface LiveReceiverParts {
  readonly deliver: DeliverEvent;
  readonly tally: Tally;
  readonly log: (level: 'warning' | 'info', text: string) => void;
  readonly queue?: number;
}

/**
 * A receiver that is told while it keeps up: its events wait in a queue of their own and are delivered one at a time, in
 * order, each once. A full queue drops the new one. What waits at a stop is discarded.
 */
export class LiveReceiver {
  private readonly stopping = new AbortController();
  private readonly waiting: HookEvent[] = [];
  private working: Promise<void> | undefined;

  constructor(private readonly parts: LiveReceiverParts) {}

  notify(event: HookEvent): void {
    if (this.stopping.signal.aborted) return;
    const { tally, log, queue = HOOK_QUEUE } = this.parts;
    if (this.waiting.length >= queue) {
      tally.dropped += 1;
      if (tally.dropped === 1 || tally.dropped % DROP_LOG_EVERY === 0) {
        const soFar = String(tally.dropped);
        log('warning', `queue full (${String(queue)}), dropping notifications. Dropped so far: ${soFar}`);
      }
      return;
    }
    this.waiting.push(event);
    this.working ??= this.work();
  }

  /** Events that wait, without the one that is on its way. */
  get behind(): number {
    return this.waiting.length;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.waiting.length = 0;
    await this.working;
  }

  private async work(): Promise<void> {
    const { deliver, tally } = this.parts;
    for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
      tally.count(await deliver(event, randomUUID(), this.stopping.signal));
    }
    this.working = undefined;
  }
}
