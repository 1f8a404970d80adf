import type { StorageMode } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';

interface StorageOptions {
  readonly prune: boolean;
  readonly 'prune-depth': number | undefined;
  readonly lite: boolean;
  readonly 'lite-height': number;
}

/** Block bodies that this node retains, or would retain if it were pruned. */
export function pruneDepthOf(options: Pick<StorageOptions, 'prune-depth'>, network: Network): number {
  return options['prune-depth'] ?? network.pruneDepth;
}

/** The storage mode of valid options. */
export function storageModeOf(options: StorageOptions, network: Network): StorageMode {
  if (options.lite) return { kind: 'lite', height: options['lite-height'] };
  if (options.prune) return { kind: 'pruned', depth: pruneDepthOf(options, network) };
  return { kind: 'full' };
}

/** Warnings about option combinations that limit the node. */
export function storageWarnings(options: { readonly prune: boolean; readonly 'daemon-mode': string }): string[] {
  if (!options.prune || options['daemon-mode'] !== 'explorer') return [];
  return ['--prune with --daemon-mode explorer: blocks and transactions are found within the prune depth only'];
}
