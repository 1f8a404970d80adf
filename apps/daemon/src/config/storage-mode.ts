import type { StorageMode } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';

/** The options that say what a node stores. */
interface StorageOptions {
  readonly prune: boolean;
  readonly 'prune-depth': number | undefined;
  readonly lite: boolean;
  readonly 'lite-height': number;
}

/** Blocks that this node keeps, or would keep if it were pruned. */
export function pruneDepthOf(options: Pick<StorageOptions, 'prune-depth'>, network: Network): number {
  return options['prune-depth'] ?? network.pruneDepth;
}

/** What the options come to, once they are checked and raised. */
export function storageModeOf(options: StorageOptions, network: Network): StorageMode {
  if (options.lite) return { kind: 'lite', height: options['lite-height'] };
  if (options.prune) return { kind: 'pruned', depth: pruneDepthOf(options, network) };
  return { kind: 'full' };
}

/** What works, but not as far as one may think. */
export function storageWarnings(options: { readonly prune: boolean; readonly 'daemon-mode': string }): string[] {
  if (!options.prune || options['daemon-mode'] !== 'explorer') return [];
  return ['--prune with --daemon-mode explorer: blocks and transactions are found within the prune depth only'];
}
