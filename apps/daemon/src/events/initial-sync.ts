export interface SyncStatus {
  /** Whether the node has completed a synchronization since the start. */
  isSynchronized(): boolean;
  /** The height of the peers, a count; 0 before the first one. */
  observedHeight(): number;
}

/** Milliseconds for which the observed height is cached: computing it queries the database. */
const CACHE_MS = 1_000;

/** Whether the initial synchronization is over: it has completed, or a block reaches the height of the peers. */
export class InitialSync {
  private observed = 0;
  private observedAt = -Infinity;

  constructor(
    private readonly peers: SyncStatus,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param height a block index */
  isOver(height: number): boolean {
    if (this.peers.isSynchronized()) return true;
    if (this.now() - this.observedAt >= CACHE_MS) {
      this.observed = this.peers.observedHeight();
      this.observedAt = this.now();
    }
    return this.observed > 0 && height + 1 >= this.observed;
  }
}
