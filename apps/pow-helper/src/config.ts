import { availableParallelism } from 'node:os';
import { networkNames, networkOf, type Network } from '@wrkz/core-types';
import {
  apiKeyOption,
  CORS_OPTION,
  defineOptions,
  HASHING_THREADS,
  inGroup,
  listenerOptions,
  LOGGING_AND_METRICS,
  type OptionValues,
  parseOptions,
  splitList,
} from '@wrkz/service-kit';

/** Options of the command line and the configuration file. */
export const OPTIONS = defineOptions([
  ...inGroup('Listeners', listenerOptions(17_870)),
  ...inGroup('Work', [
    {
      name: 'network',
      default: 'mainnet',
      choices: networkNames,
      help: 'Network whose rules determine the difficulty',
    },
    HASHING_THREADS,
    {
      name: 'queue',
      type: 'string',
      default: undefined,
      secret: true,
      help: 'Share jobs and results with other instances through redis://host:port',
      validate: (value: string | number | boolean) => badQueueUrl(String(value)),
    },
  ]),
  ...inGroup('Limits', [
    {
      name: 'rate-limit',
      default: 60,
      min: 0,
      help: 'Requests per minute per client address; 0 disables',
    },
    {
      name: 'max-jobs-per-minute',
      default: 120,
      min: 0,
      help: 'Jobs per minute over all clients; 0 disables',
    },
    {
      name: 'max-queue',
      default: 64,
      min: 1,
      help: 'Maximum number of queued jobs; further jobs are rejected',
    },
    {
      name: 'max-difficulty',
      default: 1_000_000,
      min: 1,
      help: 'Maximum difficulty of a job',
    },
    {
      name: 'max-wait-ms',
      default: 30_000,
      min: 0,
      max: 2 ** 31 - 1,
      help: 'Maximum time that a request waits for its job, in milliseconds',
    },
    {
      name: 'job-timeout',
      default: 600,
      min: 1,
      max: 2_000_000,
      help: 'Seconds after which a queued job expires',
    },
    {
      name: 'result-ttl',
      default: 300,
      min: 1,
      max: 2_000_000,
      help: 'Seconds for which a result is stored',
    },
  ]),
  ...inGroup('Access', [
    apiKeyOption({
      name: 'api-key',
      default: undefined,
      help: 'Required value of the X-API-KEY header',
    }),
    CORS_OPTION,
  ]),
  ...inGroup('Logging and metrics', LOGGING_AND_METRICS),
]);

function badQueueUrl(text: string): string | undefined {
  const fine = URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol);
  return fine ? undefined : 'must be a URL of the form redis://host:port';
}

export type PowHelperOptions = OptionValues<typeof OPTIONS>;

/** The resolved and validated configuration. */
export interface PowHelperConfig {
  readonly options: PowHelperOptions;
  /** The network whose rules determine the difficulty. */
  readonly network: Network;
  /** Hashing threads, at least 1. */
  readonly threads: number;
  /** Addresses and ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Warnings to log at startup. */
  readonly warnings: readonly string[];
  /** Values to hide in log lines. */
  readonly secrets: readonly string[];
}

/**
 * @param argv the command-line arguments, without program and script name
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
