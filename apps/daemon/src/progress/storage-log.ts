import type { Logger, Metrics } from '@wrkz/service-kit';
import type { ChainClient } from '../chain/client';
import type { PrunePass } from '../chain/pruning';
import type { RefusedSwitch } from '../chain/side-branches';

/** Branches told of, so that one that is offered over and over is told of once. */
const REMEMBERED = 1000;

/** Logs and counts what follows from the storage mode: passes of pruning, and reorganisations that were not done. */
export class StorageLog {
  private refused = 0;
  private readonly told = new Set<string>();

  constructor(
    private readonly chain: Pick<ChainClient, 'on' | 'off'>,
    private readonly logger: Logger,
  ) {
    chain.on('pruned', this.onPruned);
    chain.on('refusedSwitch', this.onRefused);
  }

  /** Reorganisations that were not done, each time that one was offered. */
  publish({ shared }: Metrics): void {
    shared.counted(
      'wrkz_refused_reorganisations_total',
      'Heavier branches not followed because they leave the chain below what this node keeps',
      () => this.refused,
    );
  }

  close(): void {
    this.chain.off('pruned', this.onPruned);
    this.chain.off('refusedSwitch', this.onRefused);
  }

  private readonly onPruned = ({ floor, blocks, freedPages, forced }: PrunePass): void => {
    const why = forced ? ', because space is short' : '';
    this.logger.info(
      `pruned ${blocks} blocks${why}: bodies are kept from block ${floor} on, ${freedPages} pages were given back`,
    );
  };

  private readonly onRefused = ({ fork, height, hash, reason }: RefusedSwitch): void => {
    this.refused += 1;
    const id = hash.toString('hex');
    if (this.told.has(id)) return;
    if (this.told.size >= REMEMBERED) this.told.clear();
    this.told.add(id);
    this.logger.warning(
      `a heavier branch up to block ${height} ${id} is not followed, it leaves our chain at block ${fork}. ${reason}. ` +
        'If the network follows it, only --resync brings this node to it',
    );
  };
}
