import type { CloseReason } from '../penalties/close-reasons';
import type { BatchSize } from './batch-size';
import type { Branch } from './branch';
import type { PlanEntry } from './plan';
import type { SyncStanding } from './standing';

/** What a peer says of its chain: the height is a count, tip index + 1. */
export interface ChainClaim {
  readonly height: number;
  readonly tip: Buffer;
}

/** What the synchronisation needs of a session. */
export interface SyncSession {
  readonly id: number;
  readonly name: string;
  readonly incoming: boolean;
  /** When bytes last came from the peer, milliseconds. */
  readonly lastHeard: number;
  /** When a large answer that is on its way last grew by a good piece; undefined when none is. */
  readonly progressAt: number | undefined;
  readonly standing: SyncStanding;
  /** The peer's tip index + 1, as it last said. */
  remoteHeight: number;
  claim: ChainClaim | undefined;
  askChain(hashes: readonly Buffer[]): void;
  askObjects(hashes: readonly Buffer[]): void;
  close(reason: CloseReason): void;
}

/** One peer's part in the synchronisation, for operators. */
export interface SyncShare {
  /** It has a place now; without one it only owes us an answer. */
  readonly active: boolean;
  /** Blocks of the next request. */
  readonly batch: number;
  /** Blocks that it has brought and that were needed. */
  readonly delivered: number;
  readonly failures: number;
}

/** Blocks of a branch that a peer was asked for; `left` holds what has not come, by hash. */
export interface ObjectsRequest {
  readonly branch: Branch;
  readonly left: Map<string, PlanEntry>;
  readonly count: number;
  readonly askedAt: number;
}

/** A session while we synchronise from it, and for as long after that as it owes us an answer. */
export class SyncPeer {
  /** The branch that it is part of, once it has announced its chain. */
  branch: Branch | undefined;
  /** Its chain leaves the branch: it is asked again when the branch has passed the fork. */
  diverged = false;
  /** When the chain was asked for; undefined when no answer is awaited. */
  chainAskedAt: number | undefined;
  objects: ObjectsRequest | undefined;
  /** The height of the last hash that it sent. */
  lastResponseHeight = 0;
  /** That hash. */
  tail: Buffer | undefined;
  /** Blocks that it has brought and that were needed. */
  delivered = 0;
  /** It has brought blocks of the chain that it names now. */
  shows = false;
  orphans = 0;
  failures = 0;
  /** Chain entries in a row that brought nothing. */
  emptyEntries = 0;

  constructor(
    readonly session: SyncSession,
    readonly batch: BatchSize,
  ) {}

  get id(): number {
    return this.session.id;
  }

  /** Since when it owes us an answer. */
  get owesSince(): number | undefined {
    const { objects, chainAskedAt } = this;
    if (objects === undefined || chainAskedAt === undefined) return objects?.askedAt ?? chainAskedAt;
    return Math.min(objects.askedAt, chainAskedAt);
  }

  /** Whether it has sent the hashes of all blocks that it claims to have. */
  get hasSentAllHashes(): boolean {
    return this.lastResponseHeight + 1 >= this.session.remoteHeight;
  }

  /** Leaves its branch and forgets the hashes that it sent; it has to be asked for its chain again. */
  restart(): void {
    this.branch?.plan.withdraw(this.id);
    this.branch = undefined;
    this.diverged = false;
    this.shows = false;
    this.tail = undefined;
    this.lastResponseHeight = 0;
  }
}
