import type { CallQueue, QueuedCall } from './call-queue';

export interface FairQueueOptions {
  /** The lanes by name, each with the number of its calls that may run at once; Infinity for a lane without a bound. */
  readonly lanes: Readonly<Record<string, number>>;
  /** Calls that may wait in all. */
  readonly places: number;
  /** Calls of one owner that may wait. */
  readonly placesPerOwner: (owner: string) => number;
}

interface Lane<C> {
  readonly atOnce: number;
  running: number;
  /** Waiting calls by owner. The owners stand in the order of their turns, the calls in the order they came. */
  readonly waiting: Map<string, Set<C>>;
}

/**
 * Turns in circles: from lane to lane, and within a lane from owner to owner; of one owner first come, first served. So
 * nobody waits for more than one call of every other owner, however many those have sent, and a lane of long calls never
 * takes the threads that its bound leaves free.
 *
 * When all places are taken, the owner with the most waiting calls, the new one counted, loses the latest.
 */
export class FairQueue<C extends QueuedCall> implements CallQueue<C> {
  private readonly lanes: Map<string, Lane<C>>;
  private readonly firstLane: string;
  private readonly waitingByOwner = new Map<string, number>();
  private waiting = 0;

  /** @throws RangeError without a lane */
  constructor(private readonly options: FairQueueOptions) {
    const lanes = Object.entries(options.lanes);
    const [first] = lanes;
    if (first === undefined) throw new RangeError('a queue needs a lane');
    [this.firstLane] = first;
    this.lanes = new Map(lanes.map(([name, atOnce]) => [name, { atOnce, running: 0, waiting: new Map() }]));
  }

  get size(): number {
    return this.waiting;
  }

  add(call: C): C | undefined {
    const owner = ownerOf(call);
    const own = (this.waitingByOwner.get(owner) ?? 0) + 1;
    if (own > this.options.placesPerOwner(owner)) return call;
    let refused: C | undefined;
    if (this.waiting >= this.options.places) {
      refused = this.latestOfBusiest(own);
      if (refused === undefined) return call;
      this.remove(refused);
    }
    const { waiting } = this.laneOf(call);
    const calls = waiting.get(owner);
    if (calls === undefined) waiting.set(owner, new Set([call]));
    else calls.add(call);
    this.waitingByOwner.set(owner, own);
    this.waiting++;
    return refused;
  }

  next(): C | undefined {
    for (const [name, lane] of this.lanes) {
      if (lane.running >= lane.atOnce) continue;
      const [turn] = lane.waiting;
      if (turn === undefined) continue;
      const [owner, calls] = turn;
      const [call] = calls;
      if (call === undefined) continue;
      this.remove(call);
      // whoever had a turn goes to the end of the row, owner and lane alike
      if (lane.waiting.delete(owner)) lane.waiting.set(owner, calls);
      this.lanes.delete(name);
      this.lanes.set(name, lane);
      lane.running++;
      return call;
    }
    return undefined;
  }

  done(call: C): void {
    this.laneOf(call).running--;
  }

  remove(call: C): void {
    const owner = ownerOf(call);
    const { waiting } = this.laneOf(call);
    const calls = waiting.get(owner);
    if (calls?.delete(call) !== true) return;
    if (calls.size === 0) waiting.delete(owner);
    const left = (this.waitingByOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.waitingByOwner.delete(owner);
    else this.waitingByOwner.set(owner, left);
    this.waiting--;
  }

  clear(): C[] {
    const all = [...this.lanes.values()].flatMap(({ waiting }) => [...waiting.values()].flatMap((calls) => [...calls]));
    for (const call of all) this.remove(call);
    return all;
  }

  private laneOf({ options: { lane = this.firstLane } }: C): Lane<C> {
    const found = this.lanes.get(lane);
    if (found === undefined) throw new RangeError(`the queue has no lane ${lane}`);
    return found;
  }

  /** The call that gives way to one of an owner who would then have `own` waiting; undefined when nobody has more. */
  private latestOfBusiest(own: number): C | undefined {
    let [busiest, most] = ['', own];
    for (const [owner, count] of this.waitingByOwner) if (count > most) [busiest, most] = [owner, count];
    if (most === own) return undefined;
    // the lanes stand in the order of their turns, so the one whose turn is last gives way
    for (const { waiting } of [...this.lanes.values()].reverse()) {
      const latest = [...(waiting.get(busiest) ?? [])].at(-1);
      if (latest !== undefined) return latest;
    }
    return undefined;
  }
}

function ownerOf({ options }: QueuedCall): string {
  return options.owner ?? '';
}
