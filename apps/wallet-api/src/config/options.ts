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
import { networkOption, nodeFollowOptions, scanOptions, workOptions } from '@wrkz/wallet-server';

const API = 'API';
const WALLET = 'Wallet';
const NODE = 'Node';
const SOCKET = 'Local socket';
const HOOKS = 'Notification hooks';
const LOGGING = 'Console, logging and metrics';

/** The levels as this program counts them: 0 is off, and there is none between fatal and warning. */
export const WALLET_LOG_SCALE: LogScale = {
  names: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  numbers: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  help: '0 disabled, 1 fatal, 2 warning, 3 info, 4 debug, 5 trace, or the name',
  complaint: 'Log level must be between 0 and 5!',
};

/** Every start-up option, for the command line and the configuration file. */
export const WALLET_API_OPTIONS = defineOptions([
  {
    ...apiKeyOption({
      name: 'rpc-password',
      default: undefined,
      group: API,
      help: 'Required: the value of the header X-API-KEY, on every listener',
    }),
    aliases: ['r'],
  },
  {
    name: 'rpc-key-file',
    type: 'string',
    default: '',
    group: API,
    help: 'A JSON file with further keys, each with a scope and limits of its own; empty for none',
  },
  bindAddressOption({
    name: 'rpc-bind-ip',
    default: '127.0.0.1',
    group: API,
    help: 'Interface to listen on; 0.0.0.0, or :: for both families, lets other machines in',
  }),
  { ...portOption({ name: 'port', default: 7856, min: 1, group: API, help: 'TCP port' }), aliases: ['p'] },
  secondAddressOption({
    name: 'rpc-bind-ipv6-address',
    default: '',
    group: API,
    help: 'Address of a second listener on the same port, with --rpc-use-ipv6',
  }),
  { name: 'rpc-use-ipv6', type: 'boolean', default: false, group: API, help: 'Open the second listener' },
  corsOption({ name: 'enable-cors', group: API, help: 'Value of Access-Control-Allow-Origin' }),
  trustedProxyOption({
    name: 'trusted-proxy',
    group: API,
    help: 'Address or range of a reverse proxy that names its clients; may be repeated or a comma-separated list',
  }),
  ...workOptions(API),
  networkOption(WALLET),
  {
    name: 'wallet-dir',
    type: 'string',
    default: '',
    defaultText: 'the working directory',
    group: WALLET,
    help: 'The folder that file names of requests are relative to, and do not lead out of',
  },
  {
    name: 'allow-any-path',
    type: 'boolean',
    default: false,
    group: WALLET,
    help: 'Let file names of requests lead anywhere',
  },
  ...scanOptions(WALLET),
  {
    name: 'rescan-from',
    type: 'number',
    default: undefined,
    defaultText: 'where the wallet left off',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    group: WALLET,
    help: 'Read the chain again from this height, once for each wallet file that is opened; what lies below is kept',
  },
  {
    name: 'sync-windows',
    type: 'boolean',
    default: false,
    group: NODE,
    help: 'Accepted for older configurations: windows are asked for side by side wherever a node offers them',
    noEffect: 'windows are asked for side by side wherever a node offers them',
  },
  ...nodeFollowOptions(NODE),
  ...localSocketOptions({ prefix: 'rpc', group: SOCKET, serves: 'Serve the API on this socket as well' }),
  hookOption({
    name: 'tx-notify',
    group: HOOKS,
    help:
      'URL to POST to, or command to run (%s hash, %h height, %a amount, %f fee, %p payment id, %c 1), for each ' +
      'transaction that a block brings; may be repeated',
  }),
  ...hookSettings({ group: HOOKS, duringSync: 'Tell of transactions more than 1,440 blocks behind the network too' }),
  {
    name: 'no-console',
    type: 'boolean',
    default: false,
    group: LOGGING,
    help: 'Read no commands (exit, quit, help)',
  },
  ...loggingOptions({
    group: LOGGING,
    scale: WALLET_LOG_SCALE,
    level: '0',
    file: undefined,
    fileHelp: 'Append log lines to this file too',
  }),
  metricsOption({ name: 'enable-metrics', group: LOGGING, help: 'Serve GET /metrics for Prometheus' }),
]);
