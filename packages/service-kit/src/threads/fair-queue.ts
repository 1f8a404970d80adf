import type { CallOptions } from './worker-thread';

export interface PoolCallOptions extends CallOptions {
  /** Client of the call, for fair scheduling; calls without an owner share one. */
  readonly owner?: string | undefined;
  /** Name of the lane. Default: the first. */
  readonly lane?: string | undefined;
}

/** A call in the queue of a pool. */
export interface QueuedCall {
  readonly name: string;
  readonly options: PoolCallOptions;
}

export interface FairQueueOptions {
  /** Lanes by name, with the max number of running calls; Infinity: no limit. */
  readonly lanes: Readonly<Record<string, number>>;
  /** Max queued calls. */
  readonly capacity: number;
  /** Max queued calls of one owner. */
  readonly capacityPerOwner: (owner: string) => number;
}

interface Lane<C> {
  readonly maxRunning: number;
  running: number;
  /** Queued calls by owner: owners in round-robin order, calls in FIFO order. */
  readonly queued: Map<string, Set<C>>;
}

/**
 * Round-robin scheduling: from lane to lane, within a lane from owner to owner, and FIFO for one owner. A call waits for at most
 * one call of every other owner, and a lane of long calls never uses more threads than its limit.
 *
 * When the queue is full, the owner with the most queued calls, the new one included, loses the latest.
 */
export class FairQueue<C extends QueuedCall> {
  private readonly lanes: Map<string, Lane<C>>;
  private readonly firstLane: string;
  private readonly queuedByOwner = new Map<string, number>();
  private count = 0;

  /** @throws RangeError without a lane */
  constructor(private readonly options: FairQueueOptions) {
    const lanes = Object.entries(options.lanes);
    const [first] = lanes;
    if (first === undefined) throw new RangeError('a queue needs a lane');
    [this.firstLane] = first;
    this.lanes = new Map(lanes.map(([name, maxRunning]) => [name, { maxRunning, running: 0, queued: new Map() }]));
  }

  /** Number of queued calls. */
  get size(): number {
    return this.count;
  }

  /** Queues a call. @returns the rejected call if the queue is full: this one, or a queued one */
  add(call: C): C | undefined {
    const owner = ownerOf(call);
    const own = (this.queuedByOwner.get(owner) ?? 0) + 1;
    if (own > this.options.capacityPerOwner(owner)) return call;
    let refused: C | undefined;
    if (this.count >= this.options.capacity) {
      refused = this.latestOfBusiest(own);
      if (refused === undefined) return call;
      this.remove(refused);
    }
    const { queued } = this.laneOf(call);
    const calls = queued.get(owner);
    if (calls === undefined) queued.set(owner, new Set([call]));
    else calls.add(call);
    this.queuedByOwner.set(owner, own);
    this.count++;
    return refused;
  }

  /** Removes the next call that may run; undefined if there is none. */
  next(): C | undefined {
    for (const [name, lane] of this.lanes) {
      if (lane.running >= lane.maxRunning) continue;
      const [first] = lane.queued;
      if (first === undefined) continue;
      const [owner, calls] = first;
      const [call] = calls;
      if (call === undefined) continue;
      this.remove(call);
      // Owner and lane move to the end.
      if (lane.queued.delete(owner)) lane.queued.set(owner, calls);
      this.lanes.delete(name);
      this.lanes.set(name, lane);
      lane.running++;
      return call;
    }
    return undefined;
  }

  /** Reports the end of a call that `next` returned. */
  done(call: C): void {
    this.laneOf(call).running--;
  }

  remove(call: C): void {
    const owner = ownerOf(call);
    const { queued } = this.laneOf(call);
    const calls = queued.get(owner);
    if (calls?.delete(call) !== true) return;
    if (calls.size === 0) queued.delete(owner);
    const left = (this.queuedByOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.queuedByOwner.delete(owner);
    else this.queuedByOwner.set(owner, left);
    this.count--;
  }

  /** Removes all queued calls. */
  clear(): C[] {
    const all = [...this.lanes.values()].flatMap(({ queued }) => [...queued.values()].flatMap((calls) => [...calls]));
    for (const call of all) this.remove(call);
    return all;
  }

  private laneOf({ options: { lane = this.firstLane } }: C): Lane<C> {
    const found = this.lanes.get(lane);
    if (found === undefined) throw new RangeError(`the queue has no lane ${lane}`);
    return found;
  }

  /** The latest call of the owner with most queued calls; undefined if no owner has more than `own`. */
  private latestOfBusiest(own: number): C | undefined {
    let [busiest, most] = ['', own];
    for (const [owner, count] of this.queuedByOwner) if (count > most) [busiest, most] = [owner, count];
    if (most === own) return undefined;
    // Lanes are in round-robin order: the last one loses a call.
    for (const { queued } of [...this.lanes.values()].reverse()) {
      const latest = [...(queued.get(busiest) ?? [])].at(-1);
      if (latest !== undefined) return latest;
    }
    return undefined;
  }
}

function ownerOf({ options }: QueuedCall): string {
  return options.owner ?? '';
}
