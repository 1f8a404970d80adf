import { removeChainDb } from '@wrkz/chain-db';
import type { DaemonConfig } from '../config/config';

/**
 * `--resync`: deletes the chain before anything is opened. The peer lists are left out when the peers start, which keeps the
 * bans.
 * @throws Error with a message for the operator: in use, another network's, not to be deleted
 */
export function resyncAtStart({ options, directory, network }: DaemonConfig, notice: (line: string) => void): void {
  if (!options.resync) return;
  const removed = removeChainDb(directory, network.name);
  notice(removed ? `The chain in ${directory} was deleted, to be synchronized again` : `No chain in ${directory} yet`);
}
