import type { NodeEvent } from '../node-events';
import type { ChainPosition } from './store';
import type { NumberedEvent } from './writer';

export interface QueuedEvent extends NumberedEvent {
  /** Whether the node was synchronized: a journal that has not started begins with the first such event. */
  readonly ready: boolean;
  /** The tip of the main chain before the event. */
  readonly before: ChainPosition;
}

/** Max queued events, some megabytes. */
const MAX_EVENTS = 20_000;
/** Max events of one batch: the main thread serializes it. */
const MAX_BATCH = 500;

/** Sources whose events were dropped from the queue: their state must be read again. */
export interface Dropped {
  readonly chain: boolean;
  readonly pool: boolean;
}

/**
 * Events for the journal's thread. They stay queued until they are written, so a temporary disk failure loses nothing. A full
 * queue drops events that can be read again: blocks first, then reorganisations and pool events. After those it drops the oldest
 * of the rest and counts them as lost.
 */
export class EventQueue {
  private events: QueuedEvent[] = [];
  private lastNumber = 0;
  private dropped: Dropped = { chain: false, pool: false };
  private first: ChainPosition | undefined;
  /** Number of dropped events that cannot be read again. */
  lost = 0;

  /** @param maxEvents for tests */
  constructor(private readonly maxEvents = MAX_EVENTS) {}

  get size(): number {
    return this.events.length;
  }

  add(event: Omit<QueuedEvent, 'number'>): void {
    if (this.events.length >= this.maxEvents) this.makeRoom();
    this.events.push({ ...event, number: (this.lastNumber += 1) });
  }

  /** The oldest events, in order. They stay queued until `written`. */
  batch(): readonly QueuedEvent[] {
    return this.events.slice(0, MAX_BATCH);
  }

  /** Removes the events up to this number. */
  written(number: number): void {
    this.events = this.events.filter((event) => event.number > number);
  }

  /** Returns and resets the dropped sources. */
  takeDropped(): Dropped {
    const { dropped } = this;
    this.dropped = { chain: false, pool: false };
    return dropped;
  }

  /** The start of the journal: the tip before the first event of a synchronized node. Removes earlier events; all without one. */
  beginning(): ChainPosition | undefined {
    if (this.first !== undefined) return this.first;
    const first = this.events.find(({ ready }) => ready);
    this.written((first?.number ?? Infinity) - 1);
    return first?.before;
  }

  /** Call it once the journal has started at `beginning`. */
  begun(): void {
    this.first = undefined;
  }

  private makeRoom(): void {
    this.first ??= this.events.find(({ ready }) => ready)?.before;
    this.drop({ chain: true, pool: false }, ({ kind }) => kind === 'block');
    if (this.events.length <= this.maxEvents / 2) return;
    this.drop({ chain: true, pool: true }, ({ kind }) => READABLE.has(kind));
    const excess = this.events.length - Math.floor(this.maxEvents / 2);
    if (excess <= 0) return;
    this.events = this.events.slice(excess);
    this.lost += excess;
  }

  private drop(dropped: Dropped, isDropped: (event: NodeEvent) => boolean): void {
    this.events = this.events.filter(({ event }) => !isDropped(event));
    this.dropped = { chain: this.dropped.chain || dropped.chain, pool: this.dropped.pool || dropped.pool };
  }
}

/** Events whose effect can be read from chain and pool. */
const READABLE: ReadonlySet<NodeEvent['kind']> = new Set(['block', 'reorganisation', 'pool-added', 'pool-removed']);

/** The tip of the main chain before an event. @param tip the tip after it */
export function positionBefore(event: NodeEvent, tip: ChainPosition): ChainPosition {
  switch (event.kind) {
    case 'block':
      return { height: event.height - 1, hash: event.previousHash };
    case 'reorganisation':
      return event.removed.at(-1) ?? { height: event.rootHeight, hash: event.rootHash };
    default:
      return { height: tip.height, hash: tip.hash };
  }
}
