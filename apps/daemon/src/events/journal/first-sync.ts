/** What is asked of the peers. */
export interface SyncStatus {
  /** Whether the node has once finished a synchronization. */
  isSynchronized(): boolean;
  /** The height that the peers were last seen at, a count; 0 before the first one. */
  observedHeight(): number;
}

/** Milliseconds for which an observed height is taken: to work it out asks the database. */
const OBSERVED_FOR = 1_000;

/**
 * Whether the first synchronization is over: the node has once finished one, or a block stands at or above the height that
 * its peers tell.
 */
export class FirstSync {
  private observed = 0;
  private observedAt = -Infinity;

  constructor(
    private readonly peers: SyncStatus,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param height index of the block in question */
  isReady(height: number): boolean {
    if (this.peers.isSynchronized()) return true;
    if (this.now() - this.observedAt >= OBSERVED_FOR) {
      this.observed = this.peers.observedHeight();
      this.observedAt = this.now();
    }
    return this.observed > 0 && height + 1 >= this.observed;
  }
}
