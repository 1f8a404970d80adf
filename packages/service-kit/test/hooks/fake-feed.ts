import { type EventFeed, type FeedEntry, FeedGap } from '../../src';
import type { Received } from '../support/receiver';

/** A feed in memory: entry N is the event of block N. */
export class FakeFeed implements EventFeed {
  private readonly entries: FeedEntry[] = [];
  private readonly listeners = new Set<() => void>();
  private last = 0;
  private gone = 0;

  constructor(count = 0) {
    this.add(count);
  }

  add(count: number): void {
    for (let i = 0; i < count; i++) {
      const number = (this.last += 1);
      const placeholders = { s: 'aa', h: String(number) };
      this.entries.push({ number, event: { event: 'block', placeholders, fields: { height: number, hash: 'aa' } } });
    }
    for (const listener of this.listeners) listener();
  }

  /** Adds entries without an event for the hook. */
  addOther(count: number): void {
    for (let i = 0; i < count; i++) this.entries.push({ number: (this.last += 1), event: undefined });
    for (const listener of this.listeners) listener();
  }

  dropUpTo(number: number): void {
    this.gone = number;
  }

  latest(): number {
    return this.last;
  }

  after(number: number, limit: number): FeedEntry[] {
    if (number < this.gone || number > this.last) throw new FeedGap(this.gone);
    return this.entries.filter((entry) => entry.number > number).slice(0, limit);
  }

  onEntry(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The entry numbers in the received webhook ids, without repetitions. @throws Error if an entry was skipped */
export function numbered(received: readonly Received[]): number[] {
  const numbers: number[] = [];
  for (const { headers } of received) {
    const number = Number(String(headers['webhook-id']).split('-').at(-1));
    const last = numbers.at(-1) ?? 0;
    if (number > last + 1) throw new Error(`${String(number)} came after ${String(last)}`);
    if (number === last + 1) numbers.push(number);
  }
  return numbers;
}
