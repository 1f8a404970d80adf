import type { ChainService, CommitEvent } from '../chain/service';
import { BlockProgress, type ProgressOptions } from './progress';

/** Blocks behind the network from which on it is worth showing. */
const WORTH_SHOWING = 20;

export interface SyncProgressParts {
  readonly chain: ChainService;
  /** Counts of blocks. */
  readonly peers: { networkHeight(): number };
  readonly write: (line: string) => void;
  readonly screen: NonNullable<ProgressOptions['screen']>;
}

/** Shows how far the synchronisation is, from the moment the node falls behind until it has caught up. */
export class SyncProgressDisplay {
  private readonly display: BlockProgress;
  private readonly onCommit = (event: CommitEvent): void => this.look(event.tip.height + 1);

  constructor(private readonly parts: SyncProgressParts) {
    this.display = new BlockProgress({ label: 'Synchronizing', write: parts.write, screen: parts.screen });
    parts.chain.on('commit', this.onCommit);
  }

  stop(): void {
    this.parts.chain.off('commit', this.onCommit);
    this.display.stop();
  }

  private look(count: number): void {
    const target = this.parts.peers.networkHeight();
    if (!this.display.active && target - count < WORTH_SHOWING) return;
    if (count >= target) return this.display.stop(`Synchronized: ${String(count)} blocks`);
    this.display.update(count, target);
  }
}
