import type { NodeEvent } from '../node-events';
import type { TimedEvent } from './follow';
import type { ChainPosition } from './store';

/** An event that is to be written down. */
export interface QueuedEvent extends TimedEvent {
  /** Whether the node had synchronized when it came: a journal that has not begun begins with it. */
  readonly ready: boolean;
  /** Where the main chain stood before it. */
  readonly before: ChainPosition;
}

/** It keeps its number however often it is handed over. */
export interface NumberedEvent extends QueuedEvent {
  readonly number: number;
}

/** Events that may wait; some megabytes. */
const PLACES = 20_000;
/** Events of one call: it is packed on the main thread. */
const EVENTS_A_CALL = 500;

/** What was left out of the queue and is to be read anew. */
export interface LeftOut {
  readonly chain: boolean;
  readonly pool: boolean;
}

/**
 * Events between the node and the journal's thread. They stay until they are known to be written, so that a disk which
 * fails for a while loses nothing. It is bounded, so that a disk which stands still costs no memory: when it is full it
 * leaves out what can be read again, blocks first, then reorganisations and what the pool did. Alternative blocks cannot: of
 * those the oldest are given up, and counted, when there is nothing else left.
 */
export class EventQueue {
  private events: NumberedEvent[] = [];
  private last = 0;
  private missing: LeftOut = { chain: false, pool: false };
  private begins: ChainPosition | undefined;
  /** Events that nothing can bring back. */
  lost = 0;

  /** @param places for tests */
  constructor(private readonly places = PLACES) {}

  get size(): number {
    return this.events.length;
  }

  add(event: QueuedEvent): void {
    if (this.events.length >= this.places) this.makeRoom();
    this.events.push({ ...event, number: (this.last += 1) });
  }

  /** The next ones, in order; they wait on until they are `written`. */
  batch(): readonly NumberedEvent[] {
    return this.events.slice(0, EVENTS_A_CALL);
  }

  /** The events up to this number are on disk, or need not be. */
  written(upTo: number): void {
    this.events = this.events.filter(({ number }) => number > upTo);
  }

  /** What was left out since it was asked last. */
  takeLeftOut(): LeftOut {
    const { missing } = this;
    this.missing = { chain: false, pool: false };
    return missing;
  }

  /**
   * Where the chain stood before the first event that came to a node which was ready: there a journal begins. What came
   * before is dropped, and everything when none has come.
   */
  beginning(): ChainPosition | undefined {
    if (this.begins !== undefined) return this.begins;
    const first = this.events.find(({ ready }) => ready);
    this.written((first?.number ?? Infinity) - 1);
    return first?.before;
  }

  /** The journal has begun there. */
  begun(): void {
    this.begins = undefined;
  }

  private makeRoom(): void {
    this.begins ??= this.events.find(({ ready }) => ready)?.before;
    this.leaveOut({ chain: true, pool: false }, ({ kind }) => kind !== 'block');
    if (this.events.length <= this.places / 2) return;
    this.leaveOut({ chain: true, pool: true }, ({ kind }) => kind === 'alternative');
    const tooMany = this.events.length - Math.floor(this.places / 2);
    if (tooMany <= 0) return;
    this.events = this.events.slice(tooMany);
    this.lost += tooMany;
  }

  private leaveOut(what: LeftOut, stays: (event: NodeEvent) => boolean): void {
    this.events = this.events.filter(({ event }) => stays(event));
    this.missing = { chain: this.missing.chain || what.chain, pool: this.missing.pool || what.pool };
  }
}

/** Where the main chain stood before an event. @param tip as the events have told of it so far, this one included */
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
