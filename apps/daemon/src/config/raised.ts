import { DIFFICULTY_TARGET } from '@wrkz/core-types';
import type { OptionSource } from '@wrkz/service-kit';

/** The options that have a least value which is not refused but used in place of a smaller one. */
interface RaisedOptions {
  readonly 'prune-depth': number | undefined;
  readonly 'sync-peer-failure-threshold': number;
  readonly 'sync-batch-min': number;
  readonly 'sync-batch-max': number;
  readonly 'block-sync-bytes': number;
}

type RaisedName = keyof RaisedOptions;

/** One block of the largest size fits into it several times. */
const LEAST_BLOCK_SYNC_BYTES = 2 * 1024 * 1024;

/**
 * Raises what is too small, as the other programs of the network do, and says so.
 * @param leastDepth the prune depth of the network
 */
export function raised<T extends RaisedOptions>(
  options: T,
  source: (name: RaisedName) => OptionSource,
  leastDepth: number,
): { readonly options: T; readonly warnings: readonly string[] } {
  const least: Readonly<Record<Exclude<RaisedName, 'sync-batch-min'>, number>> = {
    'prune-depth': leastDepth,
    'sync-peer-failure-threshold': 1,
    'sync-batch-max': options['sync-batch-min'],
    'block-sync-bytes': LEAST_BLOCK_SYNC_BYTES,
  };
  const changes: Partial<Record<RaisedName, number>> = {};
  const warnings: string[] = [];
  for (const name of Object.keys(least) as (keyof typeof least)[]) {
    const value = options[name];
    if (value === undefined || value >= least[name]) continue;
    changes[name] = least[name];
    warnings.push(
      name === 'prune-depth'
        ? pruneDepthText(value, leastDepth, source(name))
        : `--${name}: ${String(value)} is too small, ${String(least[name])} is used`,
    );
  }
  return { options: { ...options, ...changes }, warnings };
}

function pruneDepthText(depth: number, least: number, source: OptionSource): string {
  return (
    `The configured prune depth (${String(depth)}) from ${source === 'file' ? 'the configuration file' : 'CLI'} is below ` +
    `the enforced minimum (${String(least)}, about ${timeOf(least)}). Using the minimum for network health.`
  );
}

/** How long a chain takes to grow by so many blocks. */
function timeOf(blocks: number): string {
  const hours = (blocks * DIFFICULTY_TARGET) / 3600;
  return hours < 48 ? `${String(Math.round(hours))} hours` : `${String(Math.round(hours / 24))} days`;
}
