import { availableParallelism } from 'node:os';
import { decodeAddress } from '@wrkz/core-types';
import { errorText, type FormerOptions, parseOptions, type OptionValues, UsageError } from '@wrkz/service-kit';
import { type NodeEndpoint, nodeEndpoint } from './node-rpc';
import { MINER_OPTIONS } from './options';
import { type PoolEndpoint, poolEndpoint } from './pool-connection';

export type MinerOptions = OptionValues<typeof MINER_OPTIONS>;

/** The resolved and validated configuration. */
export interface MinerConfig {
  readonly options: MinerOptions;
  readonly address: string;
  /** Source of work. */
  readonly from:
    { readonly kind: 'solo'; readonly node: NodeEndpoint } | { readonly kind: 'stratum'; readonly pool: PoolEndpoint };
  /** Hashing threads, at least 1. */
  readonly threads: number;
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

/** Options of the C++ miner that no longer exist, with advice. */
export const FORMER_MINER_OPTIONS: FormerOptions = {
  'daemon-address': { advice: 'use --daemon host:port' },
  'daemon-host': { advice: 'use --daemon host:port' },
  'daemon-rpc-port': { advice: 'use --daemon host:port' },
  'scan-time': { advice: 'use --poll-interval' },
  limit: { advice: 'use --blocks' },
  'first-block-timestamp': { advice: "blocks have the template's time" },
  'block-timestamp-interval': { advice: "blocks have the template's time" },
};

/**
 * @param argv the command line without the program
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readMinerConfig(argv: readonly string[]): MinerConfig {
  const parsed = parseOptions(MINER_OPTIONS, argv, {
    name: 'wrkz-miner',
    description: 'Mines WRKZ with your own node or over stratum.',
    former: FORMER_MINER_OPTIONS,
  });
  const { values: options, warnings, secrets } = parsed;
  if (options.address === undefined) throw new UsageError('--address: the address of the miner is required');
  if (options.stratum !== undefined && parsed.source('daemon') === 'command line') {
    throw new UsageError('--stratum: use either --stratum or --daemon');
  }
  const { address } = options;
  named('--address', () => decodeAddress(address, { allowIntegrated: false }));
  const { stratum, daemon } = options;
  return {
    options,
    address,
    from:
      stratum === undefined
        ? { kind: 'solo', node: named('--daemon', () => nodeEndpoint(daemon)) }
        : { kind: 'stratum', pool: named('--stratum', () => poolEndpoint(stratum)) },
    threads: options.threads === 0 ? availableParallelism() : options.threads,
    warnings,
    secrets,
  };
}

function named<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${option}: ${errorText(error)}`);
  }
}
