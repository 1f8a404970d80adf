import type { OptionSource } from '@wrkz/service-kit';
import { LEAST_PRUNE_DEPTH } from './options/storage';

/** The options that have a least value which is not refused but used in place of a smaller one. */
interface RaisedOptions {
  readonly prune: boolean;
  readonly 'prune-depth': number;
  readonly 'sync-peer-failure-threshold': number;
  readonly 'sync-batch-min': number;
  readonly 'sync-batch-max': number;
  readonly 'block-sync-bytes': number;
}

type RaisedName = Exclude<keyof RaisedOptions, 'prune'>;

/** One block of the largest size fits into it several times. */
const LEAST_BLOCK_SYNC_BYTES = 2 * 1024 * 1024;

/** Raises what is too small, as the other programs of the network do, and says so. */
export function raised<T extends RaisedOptions>(
  options: T,
  source: (name: RaisedName) => OptionSource,
): { readonly options: T; readonly warnings: readonly string[] } {
  const least: Readonly<Record<Exclude<RaisedName, 'sync-batch-min'>, number>> = {
    'prune-depth': LEAST_PRUNE_DEPTH,
    'sync-peer-failure-threshold': 1,
    'sync-batch-max': options['sync-batch-min'],
    'block-sync-bytes': LEAST_BLOCK_SYNC_BYTES,
  };
  const changes: Partial<Record<RaisedName, number>> = {};
  const warnings: string[] = [];
  for (const name of Object.keys(least) as (keyof typeof least)[]) {
    const value = options[name];
    if (value >= least[name]) continue;
    changes[name] = least[name];
    warnings.push(
      name === 'prune-depth'
        ? pruneDepthText(value, source(name))
        : `--${name}: ${String(value)} is too small, ${String(least[name])} is used`,
    );
  }
  return { options: { ...options, ...changes }, warnings };
}

function pruneDepthText(depth: number, source: OptionSource): string {
  return (
    `The configured prune depth (${String(depth)}) from ${source === 'file' ? 'the configuration file' : 'CLI'} is below ` +
    `the enforced minimum (${String(LEAST_PRUNE_DEPTH)}, about 7 days). Using the minimum for network health.`
  );
}
