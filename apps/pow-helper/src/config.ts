import { availableParallelism } from 'node:os';
import { networkOf, type Network } from '@wrkz/core-types';
import { parseOptions, splitList, type OptionValues } from '@wrkz/service-kit';
import { OPTIONS } from './options';

/** The resolved options under their own names. */
export type PowHelperOptions = OptionValues<typeof OPTIONS>;

/** Everything the helper is configured with, resolved and checked. */
export interface PowHelperConfig {
  readonly options: PowHelperOptions;
  /** Whose rules price the jobs. */
  readonly network: Network;
  /** Hashing threads, at least 1. */
  readonly threads: number;
  /** Addresses and ranges of the proxies whose headers name the client. */
  readonly trustedProxies: readonly string[];
  /** To be logged at the start. */
  readonly warnings: readonly string[];
  /** Texts that no log line may show. */
  readonly secrets: readonly string[];
}

/**
 * Resolves the command line (without the program's own words) into a configuration.
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readPowHelperConfig(argv: readonly string[]): PowHelperConfig {
  const { values, warnings, secrets } = parseOptions(OPTIONS, argv, {
    name: 'wrkz-pow-helper',
    description: 'Computes the proof of work of transactions for wallets.',
  });
  return {
    options: values,
    network: networkOf(values.network),
    threads: values.threads === 0 ? availableParallelism() : values.threads,
    trustedProxies: splitList(values['trusted-proxy']),
    warnings,
    secrets,
  };
}
