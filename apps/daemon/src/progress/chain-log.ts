import type { Logger } from '@wrkz/service-kit';
import type { ChainCommit, ChainService, CommitEvent } from '../chain/service';

/** Replaced blocks from which on a reorganisation is more than the network's everyday. */
const NOTABLE_DEPTH = 10;

/**
 * Logs what the chain does: each block that arrives by itself, and every reorganisation. Blocks that are fetched
 * while synchronizing are left to the progress display.
 * @returns how to end it
 */
export function logChain(chain: ChainService, logger: Logger): () => void {
  const listener = (event: CommitEvent): void => {
    if (event.kind === 'alternative') {
      logger.debug(`block ${event.height} ${hex(event.hash)} is kept on a side branch`);
    } else if (event.kind === 'switch') {
      logSwitch(event, logger);
    } else if (event.source === 'relay' || event.source === 'submit') {
      for (const { height, hash, transactionHashes } of event.added) {
        logger.info(`block ${height} ${hex(hash)}, ${transactionHashes.length} transactions`);
      }
    }
  };
  chain.on('commit', listener);
  return () => chain.off('commit', listener);
}

function logSwitch({ source, forkHeight, added, removed, tip }: ChainCommit, logger: Logger): void {
  if (source === 'rewind') {
    logger.info(`taken back to block ${forkHeight}, ${removed.length} blocks less`);
    return;
  }
  const text =
    `reorganised above block ${forkHeight}: ${removed.length} blocks replaced by ${added.length}, ` +
    `the tip is block ${tip.height} ${hex(tip.hash)}`;
  if (removed.length >= NOTABLE_DEPTH) logger.warning(text);
  else logger.info(text);
}

function hex(hash: Buffer): string {
  return hash.toString('hex');
}
