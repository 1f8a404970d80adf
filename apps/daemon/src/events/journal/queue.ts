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

/** Events that may wait; some megabytes. */
const PLACES = 20_000;
/** Events of one call: it is packed on the main thread. */
const EVENTS_A_CALL = 500;

/**
 * Events between the node and the journal's thread. It is bounded, so that a disk which stands still costs no memory: what
 * does not fit is dropped, all of it, and the journal reads from the chain and from the pool what it has missed.
 */
export class EventQueue {
  private events: QueuedEvent[] = [];
  private overflowed = false;

  /** @param places for tests */
  constructor(private readonly places = PLACES) {}

  get size(): number {
    return this.events.length;
  }

  add(event: QueuedEvent): void {
    if (this.events.length >= this.places) this.drop();
    if (!this.overflowed) this.events.push(event);
  }

  /** Forgets what waits and what comes, until it is asked whether anything was lost. */
  drop(): void {
    this.events = [];
    this.overflowed = true;
  }

  /** Whether events were dropped since it was asked last; from now on they are kept again. */
  takeOverflow(): boolean {
    const overflowed = this.overflowed;
    this.overflowed = false;
    return overflowed;
  }

  /** The next ones, in order. */
  take(): QueuedEvent[] {
    return this.events.splice(0, EVENTS_A_CALL);
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
