import {
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
  trustedProxyOption,
} from '@wrkz/service-kit';
import { networkOption, nodeFollowOptions, scanOptions, workOptions } from '@wrkz/wallet-server';

const RPC = 'JSON-RPC';
const WALLET = 'Container';
const NEW = 'New container';
const NODE = 'Node';
const SOCKET = 'Local socket';
const HOOKS = 'Notification hooks';
const LOGGING = 'Logging and metrics';

/** Log levels with the numbers of the C++ program: 0 logs only fatal errors. */
export const SERVICE_LOG_SCALE: LogScale = {
  names: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  numbers: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  help: '0 fatal, 1 error, 2 warning, 3 info, 4 debug, 5 trace, or the name',
  complaint: 'log-level must be between 0..5',
};

const [logLevel, logFile, ...furtherLogging] = loggingOptions({
  group: LOGGING,
  scale: SERVICE_LOG_SCALE,
  level: '3',
  file: 'service.log',
  fileHelp: 'Also append log lines to this file; empty for none. A file that cannot be opened is a warning',
});

const PLACEHOLDERS = '(%s hash, %h height, %a amount, %f fee, %p payment id, %c 1 if in a block, else 0)';

/** Options of the command line and the configuration file. */
export const WALLET_RPC_OPTIONS = defineOptions([
  {
    name: 'rpc-password',
    type: 'string',
    default: '',
    secret: true,
    group: RPC,
    help: 'Password that every request must contain; required unless --rpc-legacy-security',
  },
  {
    name: 'rpc-legacy-security',
    type: 'boolean',
    default: false,
    group: RPC,
    help: 'Require no password: every client that can connect can spend',
  },
  bindAddressOption({
    name: 'bind-address',
    default: '127.0.0.1',
    group: RPC,
    help: 'Address to listen on; 0.0.0.0, or :: for IPv4 and IPv6, accepts other machines',
  }),
  portOption({
    name: 'bind-port',
    default: 7856,
    min: 1,
    group: RPC,
    help: 'TCP port; wrkz-wallet-api has the same default',
  }),
  corsOption({ name: 'enable-cors', group: RPC, help: 'Value of Access-Control-Allow-Origin' }),
  trustedProxyOption({
    name: 'trusted-proxy',
    group: RPC,
    help: 'Address or range of a reverse proxy whose forwarded client addresses are trusted; may be repeated or a comma-separated list',
  }),
  ...workOptions(RPC),
  {
    name: 'container-file',
    aliases: ['w'],
    type: 'string',
    default: '',
    group: WALLET,
    help: 'Required: the container. The old format is converted; the original file is stored beside it',
  },
  {
    name: 'container-password',
    aliases: ['p'],
    type: 'string',
    default: '',
    secret: true,
    group: WALLET,
    help: 'Password of the container',
  },
  {
    name: 'address',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: WALLET,
    help: 'Print the addresses of the container and exit',
  },
  {
    name: 'server-root',
    type: 'string',
    default: '',
    defaultText: 'the working directory',
    group: WALLET,
    help: 'Folder to which --container-file and --log-file are relative',
  },
  networkOption(WALLET),
  ...scanOptions(WALLET),
  {
    name: 'SYNC_FROM_ZERO',
    type: 'boolean',
    default: false,
    group: WALLET,
    help: 'Accepted for older configurations',
    noEffect: 'use --scan-height for a new container, or the method reset',
    hidden: true,
  },
  {
    name: 'generate-container',
    aliases: ['g'],
    type: 'boolean',
    default: false,
    oneShot: true,
    group: NEW,
    help: 'Create the container and exit; generates new keys unless keys are given',
  },
  {
    name: 'view-key',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'Secret view key of the new container; requires --spend-key',
  },
  {
    name: 'spend-key',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'Secret spend key of the new container; requires --view-key',
  },
  {
    name: 'mnemonic-seed',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'Mnemonic seed of the new container: 25 words',
  },
  {
    name: 'scan-height',
    type: 'number',
    default: 0,
    min: 0,
    max: 4_294_967_295,
    oneShot: true,
    group: NEW,
    help: 'Height of the first block that may contain transactions of the keys',
  },
  {
    name: 'daemon-address',
    type: 'string',
    default: '127.0.0.1',
    group: NODE,
    help: 'Host of the node, or its local socket: /path, @name or ipc://...',
  },
  {
    name: 'daemon-port',
    type: 'number',
    default: undefined,
    min: 1,
    max: 65_535,
    defaultText: "the network's RPC port",
    group: NODE,
    help: 'RPC port of the node',
  },
  { name: 'daemon-ssl', type: 'boolean', default: false, group: NODE, help: 'Connect to the node with TLS' },
  {
    name: 'init-timeout',
    type: 'number',
    default: 10,
    min: 0,
    max: 86_400,
    group: NODE,
    help: 'Accepted for older configurations',
    noEffect: 'the service starts without waiting for a node',
    hidden: true,
  },
  ...nodeFollowOptions(NODE),
  ...localSocketOptions({ prefix: 'bind', group: SOCKET, serves: 'Listen on this local socket instead of the port' }),
  hookOption({
    name: 'tx-notify',
    group: HOOKS,
    help: `URL to POST to, or command to run ${PLACEHOLDERS}, when a transaction is first seen; may be repeated`,
  }),
  hookOption({
    name: 'tx-confirmed-notify',
    group: HOOKS,
    help: `The same when a block contains the transaction; may be repeated`,
  }),
  ...hookSettings({
    group: HOOKS,
    duringSync: 'Also notify of transactions more than 1,440 blocks below the network height',
  }),
  logLevel,
  { ...logFile, aliases: ['l'] },
  ...furtherLogging,
  metricsOption({ name: 'enable-metrics', group: LOGGING, help: 'Serve GET /metrics for Prometheus' }),
]);
