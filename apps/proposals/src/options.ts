import { networkNames } from '@wrkz/core-types';
import { defineOptions, inGroup, listenerOptions, LOGGING_AND_METRICS } from '@wrkz/service-kit';

const DATA = 'Data';

const checkUrl = (value: string | number | boolean): string | undefined => {
  const text = String(value);
  const isValid = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
  return isValid ? undefined : 'must be a URL of the form http://host:port';
};

function urlOption<const Name extends string>(name: Name, help: string) {
  return { name, type: 'string', default: undefined, help, validate: checkUrl } as const;
}

function secretOption<const Name extends string>(name: Name, help: string) {
  return { name, type: 'string', default: undefined, secret: true, help } as const;
}

/** Options of the service and of the admin commands. */
export const DATA_OPTIONS = inGroup(DATA, [
  {
    name: 'network',
    default: 'mainnet',
    choices: networkNames,
    help: 'Network of the donation addresses; other networks than mainnet use a subfolder',
  },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: '~/.wrkzcoin-suite/proposals',
    help: 'Folder of the databases',
  },
]);

/** The options of the service, for the command line and the configuration file. */
export const PROPOSALS_OPTIONS = defineOptions([
  ...inGroup('Listeners', [
    ...listenerOptions(17_880),
    urlOption('public-url', 'Public URL of the site, for absolute links in the feed: https://proposals.example.org'),
  ]),
  ...DATA_OPTIONS,
  ...inGroup(DATA, [
    {
      name: 'demo',
      default: false,
      help: 'Show sample proposals from memory; no file is read or written',
    },
  ]),
  ...inGroup('Funding', [
    urlOption('wallet-api', 'Follow donations through the wallet HTTP API at this URL: http://127.0.0.1:7856'),
    secretOption('wallet-api-key', 'API key of the wallet HTTP API'),
    urlOption(
      'wallet-rpc',
      'Follow donations through the wallet JSON-RPC service at this URL instead: http://127.0.0.1:7856',
    ),
    secretOption('wallet-rpc-password', 'Password of the wallet JSON-RPC service'),
    {
      name: 'wallet-poll',
      default: 30,
      min: 1,
      max: 3600,
      help: 'Seconds between two polls',
    },
  ]),
  ...inGroup('Limits', [
    {
      name: 'rate-limit',
      default: 600,
      min: 0,
      help: 'Requests per minute per client address; 0 disables',
    },
    {
      name: 'qr-limit',
      default: 20,
      min: 0,
      help: 'New QR images per minute per client address, cached ones exempt; 0 disables',
    },
  ]),
  ...inGroup('Logging and metrics', LOGGING_AND_METRICS),
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
