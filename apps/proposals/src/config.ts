import { join } from 'node:path';
import { dataDirectory, splitList, type OptionValues } from '@wrkz/service-kit';
import type { DATA_OPTIONS, PROPOSALS_OPTIONS } from './options';
import type { StorePlace } from './store/files';

/** The resolved options under their own names. */
export type ProposalsOptions = OptionValues<typeof PROPOSALS_OPTIONS>;

/** Everything the program that serves is configured with, resolved and checked. */
export interface ProposalsConfig {
  readonly options: ProposalsOptions;
  readonly place: StorePlace;
  /** Addresses and ranges of the proxies whose headers name the client. */
  readonly trustedProxies: readonly string[];
  /** To be logged at the start. */
  readonly warnings: readonly string[];
  /** Texts that no log line may show. */
  readonly secrets: readonly string[];
}

export function proposalsConfig(
  options: ProposalsOptions,
  { warnings, secrets }: Pick<ProposalsConfig, 'secrets' | 'warnings'>,
): ProposalsConfig {
  return {
    options,
    place: storePlace(options),
    trustedProxies: splitList(options['trusted-proxy']),
    warnings,
    secrets,
  };
}

/** The folder of a network's files: that of mainnet is the data folder itself. */
export function storePlace(options: OptionValues<typeof DATA_OPTIONS>): StorePlace {
  const { network } = options;
  const directory = options['data-dir'] ?? dataDirectory('proposals');
  return { directory: network === 'mainnet' ? directory : join(directory, network), network };
}
