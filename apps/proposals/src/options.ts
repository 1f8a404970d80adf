import { networkNames } from '@wrkz/core-types';
import {
  bindAddressOption,
  defineOptions,
  loggingOptions,
  type LogScale,
  metricsOption,
  portOption,
  secondAddressOption,
  trustedProxyOption,
} from '@wrkz/service-kit';

const LISTENERS = 'Listeners';
const DATA = 'Data';
const FUNDING = 'Funding';
const LIMITS = 'Limits';
const LOGGING = 'Logging and metrics';

/** Log levels by name. */
export const PROPOSALS_LOG_SCALE: LogScale = {
  names: ['trace', 'debug', 'info', 'warning', 'fatal', 'disabled'],
  help: 'trace, debug, info, warning, fatal or disabled',
  complaint: 'must be one of trace, debug, info, warning, fatal, disabled',
};

const checkUrl = (value: string | number | boolean): string | undefined => {
  const text = String(value);
  const isValid = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
  return isValid ? undefined : 'must be a URL of the form http://host:port';
};

function urlOption<const Name extends string>(name: Name, group: string, help: string) {
  return { name, type: 'string', default: undefined, group, help, validate: checkUrl } as const;
}

function secretOption<const Name extends string>(name: Name, group: string, help: string) {
  return { name, type: 'string', default: undefined, secret: true, group, help } as const;
}

/** Options of the service and of the admin commands. */
export const DATA_OPTIONS = defineOptions([
  {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group: DATA,
    help: 'Network of the donation addresses; other networks than mainnet use a subfolder',
  },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: '~/.wrkzcoin-suite/proposals',
    group: DATA,
    help: 'Folder of the databases',
  },
]);

/** The options of the service, for the command line and the configuration file. */
export const PROPOSALS_OPTIONS = defineOptions([
  bindAddressOption({
    name: 'bind-ip',
    default: '127.0.0.1',
    group: LISTENERS,
    help: 'Interface to listen on; 0.0.0.0 or :: for all',
  }),
  portOption({ name: 'bind-port', default: 17880, min: 1, group: LISTENERS, help: 'TCP port' }),
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
  urlOption(
    'public-url',
    LISTENERS,
    'Public URL of the site, for absolute links in the feed: https://proposals.example.org',
  ),
  ...DATA_OPTIONS,
  {
    name: 'demo',
    type: 'boolean',
    default: false,
    group: DATA,
    help: 'Show sample proposals from memory; no file is read or written',
  },
  urlOption('wallet-api', FUNDING, 'Follow donations through the wallet HTTP API at this URL: http://127.0.0.1:7856'),
  secretOption('wallet-api-key', FUNDING, 'API key of the wallet HTTP API'),
  urlOption(
    'wallet-rpc',
    FUNDING,
    'Follow donations through the wallet JSON-RPC service at this URL instead: http://127.0.0.1:7856',
  ),
  secretOption('wallet-rpc-password', FUNDING, 'Password of the wallet JSON-RPC service'),
  {
    name: 'wallet-poll',
    type: 'number',
    default: 30,
    min: 1,
    max: 3600,
    group: FUNDING,
    help: 'Seconds between two polls',
  },
  {
    name: 'rate-limit',
    type: 'number',
    default: 600,
    min: 0,
    group: LIMITS,
    help: 'Requests per minute per client address; 0 disables',
  },
  {
    name: 'qr-limit',
    type: 'number',
    default: 20,
    min: 0,
    group: LIMITS,
    help: 'New QR images per minute per client address, cached ones exempt; 0 disables',
  },
  ...loggingOptions({
    group: LOGGING,
    scale: PROPOSALS_LOG_SCALE,
    level: 'info',
    file: undefined,
    fileHelp: 'Also append log lines to this file',
  }),
  metricsOption({ name: 'enable-metrics', group: LOGGING, help: 'Serve GET /metrics for Prometheus' }),
]);

/** @returns an error text for options that exclude or require each other */
export function checkOptions(values: Readonly<Record<string, unknown>>): string | undefined {
  const isSet = (name: string): boolean => values[name] !== undefined && values[name] !== '';
  if (isSet('wallet-api') && isSet('wallet-rpc')) return '--wallet-api and --wallet-rpc cannot be used together';
  if (isSet('wallet-api') && !isSet('wallet-api-key')) return '--wallet-api needs --wallet-api-key';
  if (isSet('wallet-api-key') && !isSet('wallet-api')) return '--wallet-api-key needs --wallet-api';
  if (isSet('wallet-rpc-password') && !isSet('wallet-rpc')) return '--wallet-rpc-password needs --wallet-rpc';
  if (values['demo'] === true && (isSet('wallet-api') || isSet('wallet-rpc')))
    return '--demo cannot be used with a wallet: its donations are samples';
  return undefined;
}
