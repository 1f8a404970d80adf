import type { ChainService, CommitEvent } from '../chain/service';
import type { RemovalReason } from '../mempool/pool-transaction';
import type { RefusedSwitch } from '../chain/side-branches';
import type { DoubleSpend } from '../mempool/double-spends';
import type { TransactionPool } from '../mempool/pool';

/** A block as subscribers are told of it. */
export interface EventBlock {
  readonly height: number;
  readonly hash: Buffer;
  /** Of the block before it. */
  readonly previousHash: Buffer;
  /** Unix seconds. */
  readonly timestamp: number;
  /** In block order, the coinbase first. */
  readonly transactionHashes: readonly Buffer[];
}

/** A block joined the main chain on its tip; not the blocks that a reorganisation brings. */
export interface BlockEvent extends EventBlock {
  readonly kind: 'block';
  /** It was fetched while synchronizing, or read from a dump. */
  readonly catchingUp: boolean;
}

/** A block is kept on a side branch. */
export interface AlternativeEvent {
  readonly kind: 'alternative';
  readonly height: number;
  readonly hash: Buffer;
}

/** The blocks above the root were replaced; `added` is empty when they were only taken back. */
export interface ReorganisationEvent {
  readonly kind: 'reorganisation';
  /** The highest block that stayed. */
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

/** A branch was not followed, because it leaves the main chain too far below the tip or below the stored block data. */
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
 * What happens in the node, in the order of the commits: the one source of hooks, publishers, streams and the journal.
 * A block comes before what leaves the pool because of it. To be made before the pool follows the chain, or that order
 * is lost.
 */
export class NodeEvents {
  private readonly listeners = new Set<NodeEventListener>();
  private readonly ends: (() => void)[] = [];

  /** @param onError hears of what a listener threw; the others are told all the same */
  constructor(private readonly onError: (error: unknown) => void) {}

  followChain(chain: Pick<ChainService, 'on' | 'off'>): void {
    const onCommit = (event: CommitEvent): void => this.onCommit(event);
    chain.on('commit', onCommit);
    this.ends.push(() => chain.off('commit', onCommit));
  }

  followPool(pool: Pick<TransactionPool, 'on' | 'off'>): void {
    const onAdded = ({ hash }: { hash: Buffer }): void => this.tell({ kind: 'pool-added', hash });
    const onRemoved = ({ hashes, reason }: { hashes: Buffer[]; reason: RemovalReason }): void => {
      if (hashes.length > 0) this.tell({ kind: 'pool-removed', hashes, reason });
    };
    pool.on('added', onAdded);
    const onDoubleSpend = (spend: DoubleSpend): void => this.tell({ kind: 'double-spend', ...spend });
    pool.on('removed', onRemoved);
    pool.on('doubleSpend', onDoubleSpend);
    this.ends.push(() => {
      pool.off('added', onAdded);
      pool.off('removed', onRemoved);
      pool.off('doubleSpend', onDoubleSpend);
    });
  }

  publishDamage(event: Omit<DamageEvent, 'kind'>): void {
    this.tell({ kind: 'damage', ...event });
  }

  publishRefusedBranch(branch: RefusedSwitch): void {
    this.tell({ kind: 'refused-branch', ...branch });
  }

  /** @returns ends the subscription */
  subscribe(listener: NodeEventListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    for (const end of this.ends.splice(0)) end();
    this.listeners.clear();
  }

  private onCommit(event: CommitEvent): void {
    if (event.kind === 'alternative') {
      this.tell({ kind: 'alternative', height: event.height, hash: event.hash });
      return;
    }
    const added = event.added.map(({ height, hash, timestamp, coinbaseHash, transactionHashes }, i) => {
      const previousHash = event.added[i - 1]?.hash ?? event.forkHash;
      return { height, hash, previousHash, timestamp, transactionHashes: [coinbaseHash, ...transactionHashes] };
    });
    if (event.kind === 'switch') {
      const { forkHeight: rootHeight, forkHash: rootHash } = event;
      const removed = event.removed.map(({ height, hash }) => ({ height, hash }));
      this.tell({ kind: 'reorganisation', rootHeight, rootHash, added, removed });
      return;
    }
    const catchingUp = event.source === 'sync' || event.source === 'import';
    for (const block of added) this.tell({ kind: 'block', ...block, catchingUp });
  }

  private tell(event: NodeEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
