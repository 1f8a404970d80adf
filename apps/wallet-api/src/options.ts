import {
  apiKeyOption,
  bindAddressOption,
  corsOption,
  defineOptions,
  hookOption,
  hookSettings,
  localSocketOptions,
  loggingOptions,
  type LogScale,
  metricsOption,
  portOption,
  secondAddressOption,
  trustedProxyOption,
} from '@wrkz/service-kit';
import { backupOptions, networkOption, nodeFollowOptions, scanOptions, workOptions } from '@wrkz/wallet-server';

const API = 'API';
const WALLET = 'Wallet';
const NODE = 'Node';
const SOCKET = 'Local socket';
const HOOKS = 'Notification hooks';
const LOGGING = 'Console, logging and metrics';

/** Log levels with the numbers of the C++ program: 0 disables logging, and there is no level `error`. */
export const WALLET_LOG_SCALE: LogScale = {
  names: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  numbers: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  help: '0 disabled, 1 fatal, 2 warning, 3 info, 4 debug, 5 trace, or the name',
  complaint: 'Log level must be between 0 and 5!',
};

/** Options of the command line and the configuration file. */
export const WALLET_API_OPTIONS = defineOptions([
  {
    ...apiKeyOption({
      name: 'rpc-password',
      default: undefined,
      group: API,
      help: 'Main API key (required): clients send it in the header X-API-KEY, on every listener',
    }),
    aliases: ['r'],
  },
  {
    name: 'rpc-key-file',
    type: 'string',
    default: '',
    group: API,
    help: 'JSON file with additional API keys, each with its own scope and limits; empty for none',
  },
  {
    name: 'audit-log',
    type: 'string',
    default: '',
    group: API,
    help: 'File with a JSON line per request that reads keys, moves money or changes the wallet; empty for none',
  },
  bindAddressOption({
    name: 'rpc-bind-ip',
    default: '127.0.0.1',
    group: API,
    help: 'Address to listen on; 0.0.0.0 (IPv4) or :: (both families) accepts other machines',
  }),
  { ...portOption({ name: 'port', default: 7856, min: 1, group: API, help: 'TCP port' }), aliases: ['p'] },
  secondAddressOption({
    name: 'rpc-bind-ipv6-address',
    default: '',
    group: API,
    help: 'Address of a second listener on the same port; requires --rpc-use-ipv6',
  }),
  { name: 'rpc-use-ipv6', type: 'boolean', default: false, group: API, help: 'Open the second listener' },
  corsOption({ name: 'enable-cors', group: API, help: 'Value of Access-Control-Allow-Origin' }),
  trustedProxyOption({
    name: 'trusted-proxy',
    group: API,
    help: 'Address or range of a reverse proxy whose forwarded client address is trusted; may be repeated or a comma-separated list',
  }),
  ...workOptions(API),
  networkOption(WALLET),
  {
    name: 'wallet-dir',
    type: 'string',
    default: '',
    defaultText: 'the working directory',
    group: WALLET,
    help: 'Directory of wallet files; file names in requests are relative to it and must not leave it',
  },
  {
    name: 'allow-any-path',
    type: 'boolean',
    default: false,
    group: WALLET,
    help: 'Allow file names outside --wallet-dir',
  },
  ...backupOptions(WALLET),
  ...scanOptions(WALLET),
  {
    name: 'rescan-from',
    type: 'number',
    default: undefined,
    defaultText: 'the last scanned block',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    group: WALLET,
    help: 'Rescan from this block height, once per opened wallet file; earlier transactions are retained',
  },
  {
    name: 'sync-windows',
    type: 'boolean',
    default: false,
    group: NODE,
    help: 'No effect, accepted for older configurations: block windows are always requested in parallel',
    noEffect: 'block windows are always requested in parallel',
  },
  ...nodeFollowOptions(NODE),
  ...localSocketOptions({ prefix: 'rpc', group: SOCKET, serves: 'Also serve the API on this socket' }),
  hookOption({
    name: 'tx-notify',
    group: HOOKS,
    help:
      'URL to POST to, or command to run (%s hash, %h height, %a amount, %f fee, %p payment id, %c 1), for each ' +
      'transaction found in a block; may be repeated',
  }),
  ...hookSettings({
    group: HOOKS,
    duringSync: 'Also report transactions more than 1,440 blocks below the network height',
  }),
  {
    name: 'no-console',
    type: 'boolean',
    default: false,
    group: LOGGING,
    help: 'Do not read console commands (exit, quit, help)',
  },
  ...loggingOptions({
    group: LOGGING,
    scale: WALLET_LOG_SCALE,
    level: '0',
    file: undefined,
    fileHelp: 'Also append log lines to this file',
  }),
  metricsOption({ name: 'enable-metrics', group: LOGGING, help: 'Serve GET /metrics for Prometheus' }),
]);
