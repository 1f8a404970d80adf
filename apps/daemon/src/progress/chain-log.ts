import { toHex } from '@wrkz/core-types';
import type { Logger, Metrics } from '@wrkz/service-kit';
import type { ChainClient } from '../chain/client';
import type { PrunePass } from '../chain/pruning';
import type { ChainCommit, ChainService, CommitEvent } from '../chain/service';
import type { RefusedSwitch } from '../chain/side-branches';

/** A reorganisation of this many blocks is logged as a warning; shorter ones are routine. */
const WARNING_DEPTH = 10;
/** Max remembered branches: a branch that peers offer repeatedly is logged once. */
const MAX_REMEMBERED = 1000;

/**
 * Logs relayed and submitted blocks and every reorganisation. Blocks of a synchronization are reported by the progress display.
 * @returns a function that ends the logging
 */
export function logChain(chain: ChainService, logger: Logger): () => void {
  const listener = (event: CommitEvent): void => {
    if (event.kind === 'alternative') {
      logger.debug(`block ${event.height} ${toHex(event.hash)} is stored on a side branch`);
    } else if (event.kind === 'switch') {
      logSwitch(event, logger);
    } else if (event.source === 'relay' || event.source === 'submit') {
      for (const { height, hash, transactionHashes } of event.added) {
        logger.info(`block ${height} ${toHex(hash)}, ${transactionHashes.length} transactions`);
      }
    }
  };
  chain.on('commit', listener);
  return () => chain.off('commit', listener);
}

function logSwitch({ source, forkHeight, added, removed, tip }: ChainCommit, logger: Logger): void {
  if (source === 'rewind') return logger.info(`rewound to block ${forkHeight}, ${removed.length} blocks removed`);
  const text =
    `reorganised above block ${forkHeight}: ${removed.length} blocks replaced by ${added.length}, ` +
    `the tip is block ${tip.height} ${toHex(tip.hash)}`;
  if (removed.length >= WARNING_DEPTH) logger.warning(text);
  else logger.info(text);
}

/** Logs passes of pruning, and logs, counts and publishes refused reorganisations. */
export class StorageLog {
  /** The refused branch with the most work; reset when the main chain is reorganised from its fork or below. */
  refusedBranch: RefusedSwitch | undefined;
  private refused = 0;
  /** Hashes in hex. */
  private readonly logged = new Set<string>();

  constructor(
    private readonly chain: Pick<ChainClient, 'on' | 'off'>,
    private readonly logger: Logger,
    /** Called once per refused branch. */
    private readonly onNewBranch: (branch: RefusedSwitch) => void = () => undefined,
  ) {
    chain.on('commit', this.onCommit);
    chain.on('pruned', this.onPruned);
    chain.on('refusedSwitch', this.onRefused);
  }

  publish({ shared }: Metrics): void {
    shared.counted(
      'wrkz_refused_reorganisations_total',
      'Branches not followed because they leave the chain too far below the tip or below the stored block data',
      () => this.refused,
    );
  }

  close(): void {
    this.chain.off('commit', this.onCommit);
    this.chain.off('pruned', this.onPruned);
    this.chain.off('refusedSwitch', this.onRefused);
  }

  private readonly onPruned = ({ floor, blocks, freedPages, forced }: PrunePass): void => {
    const why = forced ? ', because space is short' : '';
    this.logger.info(
      `pruned ${blocks} blocks${why}: bodies are stored from block ${floor} on, ${freedPages} pages were returned to the file system`,
    );
  };

  private readonly onCommit = (event: CommitEvent): void => {
    const branch = this.refusedBranch;
    if (event.kind === 'switch' && branch !== undefined && event.forkHeight <= branch.fork)
      this.refusedBranch = undefined;
  };

  private readonly onRefused = (branch: RefusedSwitch): void => {
    const { fork, height, hash, reason, remedy } = branch;
    this.refused += 1;
    if (branch.cumulativeDifficulty >= (this.refusedBranch?.cumulativeDifficulty ?? 0n)) this.refusedBranch = branch;
    const id = hash.toString('hex');
    if (this.logged.has(id)) return;
    if (this.logged.size >= MAX_REMEMBERED) this.logged.clear();
    this.logged.add(id);
    this.logger.warning(
      `a branch with block ${height} ${id} is not followed, it forks from our chain at block ${fork}. ${reason}. ` +
        `If the network follows it, ${remedy}`,
    );
    this.onNewBranch(branch);
  };
}
