import type { ChainService, CommitEvent } from '../chain/service';
import type { RemovalReason } from '../mempool/pool-transaction';
import type { RefusedSwitch } from '../chain/side-branches';
import type { DoubleSpend } from '../mempool/double-spends';
import type { TransactionPool } from '../mempool/pool';

export interface EventBlock {
  readonly height: number;
  readonly hash: Buffer;
  /** The hash of the block below. */
  readonly previousHash: Buffer;
  /** Unix seconds. */
  readonly timestamp: number;
  /** In block order, starting with the coinbase. */
  readonly transactionHashes: readonly Buffer[];
}

/** A block was added on the tip of the main chain. Blocks of a reorganisation have no event of their own. */
export interface BlockEvent extends EventBlock {
  readonly kind: 'block';
  /** The block was synchronized, or imported from a dump. */
  readonly catchingUp: boolean;
}

/** A block was stored on a side branch. */
export interface AlternativeEvent {
  readonly kind: 'alternative';
  readonly height: number;
  readonly hash: Buffer;
}

/** The blocks above the root were replaced. `added` is empty after a rewind. */
export interface ReorganisationEvent {
  readonly kind: 'reorganisation';
  /** The highest block that both chains share. */
  readonly rootHeight: number;
  readonly rootHash: Buffer;
  /** Ascending. */
  readonly added: readonly EventBlock[];
  /** Ascending. */
  readonly removed: readonly { readonly height: number; readonly hash: Buffer }[];
}

export interface PoolAddedEvent {
  readonly kind: 'pool-added';
  readonly hash: Buffer;
}

export interface PoolRemovedEvent {
  readonly kind: 'pool-removed';
  /** Never empty. */
  readonly hashes: readonly Buffer[];
  readonly reason: RemovalReason;
}

/** The scrub found a damaged page of the chain database. */
export interface DamageEvent {
  readonly kind: 'damage';
  readonly page: number;
  readonly table: string | undefined;
  /** The blocks with rows on the page, first and last height. */
  readonly heights: readonly [first: number, last: number] | undefined;
  /** False when the page is found, true in a second event after its repair. */
  readonly isRepaired: boolean;
}

/** A valid transaction was refused because a pooled one spends the same output. */
export interface DoubleSpendEvent extends DoubleSpend {
  readonly kind: 'double-spend';
}

/** A branch was not followed: it forks from the main chain too far below the tip, or below the stored block data. */
export interface RefusedBranchEvent extends RefusedSwitch {
  readonly kind: 'refused-branch';
}

export type NodeEvent =
  | BlockEvent
  | AlternativeEvent
  | ReorganisationEvent
  | PoolAddedEvent
  | PoolRemovedEvent
  | DamageEvent
  | DoubleSpendEvent
  | RefusedBranchEvent;

export type NodeEventListener = (event: NodeEvent) => void;

/**
 * Publishes the events of the node in the order of the commits, to hooks, publishers, streams and the journal. A block is
 * published before the removal of its transactions from the pool: call `followChain` before the pool subscribes to the chain.
 */
export class NodeEvents {
  private readonly listeners = new Set<NodeEventListener>();
  private readonly unfollow: (() => void)[] = [];

  /** @param onError receives errors thrown by listeners; the other listeners still get the event */
  constructor(private readonly onError: (error: unknown) => void) {}

  followChain(chain: Pick<ChainService, 'on' | 'off'>): void {
    const onCommit = (event: CommitEvent): void => this.onCommit(event);
    chain.on('commit', onCommit);
    this.unfollow.push(() => chain.off('commit', onCommit));
  }

  followPool(pool: Pick<TransactionPool, 'on' | 'off'>): void {
    const onAdded = ({ hash }: { hash: Buffer }): void => this.publish({ kind: 'pool-added', hash });
    const onRemoved = ({ hashes, reason }: { hashes: Buffer[]; reason: RemovalReason }): void => {
      if (hashes.length > 0) this.publish({ kind: 'pool-removed', hashes, reason });
    };
    const onDoubleSpend = (spend: DoubleSpend): void => this.publish({ kind: 'double-spend', ...spend });
    pool.on('added', onAdded);
    pool.on('removed', onRemoved);
    pool.on('doubleSpend', onDoubleSpend);
    this.unfollow.push(() => {
      pool.off('added', onAdded);
      pool.off('removed', onRemoved);
      pool.off('doubleSpend', onDoubleSpend);
    });
  }

  publishDamage(event: Omit<DamageEvent, 'kind'>): void {
    this.publish({ kind: 'damage', ...event });
  }

  publishRefusedBranch(branch: RefusedSwitch): void {
    this.publish({ kind: 'refused-branch', ...branch });
  }

  /** @returns ends the subscription */
  subscribe(listener: NodeEventListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    for (const end of this.unfollow.splice(0)) end();
    this.listeners.clear();
  }

  private onCommit(event: CommitEvent): void {
    if (event.kind === 'alternative') {
      this.publish({ kind: 'alternative', height: event.height, hash: event.hash });
      return;
    }
    const added = event.added.map(({ height, hash, timestamp, coinbaseHash, transactionHashes }, i) => {
      const previousHash = event.added[i - 1]?.hash ?? event.forkHash;
      return { height, hash, previousHash, timestamp, transactionHashes: [coinbaseHash, ...transactionHashes] };
    });
    if (event.kind === 'switch') {
      const { forkHeight: rootHeight, forkHash: rootHash } = event;
      const removed = event.removed.map(({ height, hash }) => ({ height, hash }));
      this.publish({ kind: 'reorganisation', rootHeight, rootHash, added, removed });
      return;
    }
    const catchingUp = event.source === 'sync' || event.source === 'import';
    for (const block of added) this.publish({ kind: 'block', ...block, catchingUp });
  }

  private publish(event: NodeEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
