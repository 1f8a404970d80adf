import { availableParallelism } from 'node:os';
import { networkNames, networkOf, type Network } from '@wrkz/core-types';
import {
  apiKeyOption,
  bindAddressOption,
  corsOption,
  defineOptions,
  HASHING_THREADS,
  loggingOptions,
  type LogScale,
  metricsOption,
  type OptionValues,
  parseOptions,
  portOption,
  secondAddressOption,
  splitList,
  trustedProxyOption,
} from '@wrkz/service-kit';

const LISTENERS = 'Listeners';
const WORK = 'Work';
const LIMITS = 'Limits';
const ACCESS = 'Access';
const LOGGING = 'Logging and metrics';

export const LOG_SCALE: LogScale = {
  names: ['trace', 'debug', 'info', 'warning', 'fatal', 'disabled'],
  help: 'trace, debug, info, warning, fatal or disabled',
  complaint: 'must be one of trace, debug, info, warning, fatal, disabled',
};

/** Options of the command line and the configuration file. */
export const OPTIONS = defineOptions([
  bindAddressOption({
    name: 'bind-ip',
    default: '127.0.0.1',
    group: LISTENERS,
    help: 'Interface to listen on; 0.0.0.0 or :: for remote wallets',
  }),
  portOption({ name: 'bind-port', default: 17870, min: 1, group: LISTENERS, help: 'TCP port' }),
  secondAddressOption({
    name: 'bind-ipv6-address',
    default: undefined,
    group: LISTENERS,
    help: 'Address of a second listener on the same port',
  }),
  trustedProxyOption({
    name: 'trusted-proxy',
    group: LISTENERS,
    help: 'Address or range of a reverse proxy whose X-Forwarded-For is trusted; may be repeated or a comma-separated list',
  }),
  {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group: WORK,
    help: 'Network whose rules determine the difficulty',
  },
  { ...HASHING_THREADS, group: WORK },
  {
    name: 'queue',
    type: 'string',
    default: undefined,
    secret: true,
    group: WORK,
    help: 'Share jobs and results with other instances through redis://host:port',
    validate: (value) => badQueueUrl(String(value)),
  },
  {
    name: 'rate-limit',
    type: 'number',
    default: 60,
    min: 0,
    group: LIMITS,
    help: 'Requests per minute per client address; 0 disables',
  },
  {
    name: 'max-jobs-per-minute',
    type: 'number',
    default: 120,
    min: 0,
    group: LIMITS,
    help: 'Jobs per minute over all clients; 0 disables',
  },
  {
    name: 'max-queue',
    type: 'number',
    default: 64,
    min: 1,
    group: LIMITS,
    help: 'Maximum number of queued jobs; further jobs are rejected',
  },
  {
    name: 'max-difficulty',
    type: 'number',
    default: 1_000_000,
    min: 1,
    group: LIMITS,
    help: 'Maximum difficulty of a job',
  },
  {
    name: 'max-wait-ms',
    type: 'number',
    default: 30_000,
    min: 0,
    max: 2 ** 31 - 1,
    group: LIMITS,
    help: 'Maximum time that a request waits for its job, in milliseconds',
  },
  {
    name: 'job-timeout',
    type: 'number',
    default: 600,
    min: 1,
    max: 2_000_000,
    group: LIMITS,
    help: 'Seconds after which a queued job expires',
  },
  {
    name: 'result-ttl',
    type: 'number',
    default: 300,
    min: 1,
    max: 2_000_000,
    group: LIMITS,
    help: 'Seconds for which a result is stored',
  },
  apiKeyOption({
    name: 'api-key',
    default: undefined,
    group: ACCESS,
    help: 'Required value of the X-API-KEY header',
  }),
  corsOption({ name: 'enable-cors', group: ACCESS, help: 'Value of Access-Control-Allow-Origin' }),
  ...loggingOptions({
    group: LOGGING,
    scale: LOG_SCALE,
    level: 'info',
    file: undefined,
    fileHelp: 'Also append log lines to this file',
  }),
  metricsOption({ name: 'enable-metrics', group: LOGGING, help: 'Serve GET /metrics for Prometheus' }),
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
