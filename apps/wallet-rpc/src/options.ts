import {
  bindAddressOption,
  corsOption,
  defineOptions,
  hookOption,
  hookSettings,
  localSocketOptions,
  loggingOptions,
  type LogScale,
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
const LOGGING = 'Logging';

/** The levels as this program counts them: 0 is fatal alone. */
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
  fileHelp: 'Append log lines to this file too; empty for none. One that cannot be opened is a warning',
});

const PLACEHOLDERS = '(%s hash, %h height, %a amount, %f fee, %p payment id, %c 1 in a block or 0)';

/** Every start-up option, for the command line and the configuration file. */
export const WALLET_RPC_OPTIONS = defineOptions([
  {
    name: 'rpc-password',
    type: 'string',
    default: '',
    secret: true,
    group: RPC,
    help: 'The member password of every request; needed unless --rpc-legacy-security',
  },
  {
    name: 'rpc-legacy-security',
    type: 'boolean',
    default: false,
    group: RPC,
    help: 'Ask for no password: whoever reaches the service owns the money',
  },
  bindAddressOption({
    name: 'bind-address',
    default: '127.0.0.1',
    group: RPC,
    help: 'Interface to listen on; 0.0.0.0, or :: for both families, lets other machines in',
  }),
  portOption({
    name: 'bind-port',
    default: 7856,
    min: 1,
    group: RPC,
    help: 'TCP port; the wallet over HTTP has the same default',
  }),
  corsOption({ name: 'enable-cors', group: RPC, help: 'Value of Access-Control-Allow-Origin' }),
  trustedProxyOption({
    name: 'trusted-proxy',
    group: RPC,
    help: 'Address or range of a reverse proxy that names its clients; may be repeated or a comma-separated list',
  }),
  ...workOptions(RPC),
  {
    name: 'container-file',
    aliases: ['w'],
    type: 'string',
    default: '',
    group: WALLET,
    help: 'Required: the container; an old one is converted, and kept beside it',
  },
  {
    name: 'container-password',
    aliases: ['p'],
    type: 'string',
    default: '',
    secret: true,
    group: WALLET,
    help: 'Of the container',
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
    help: 'The folder that --container-file and --log-file are relative to',
  },
  networkOption(WALLET),
  ...scanOptions(WALLET),
  {
    name: 'SYNC_FROM_ZERO',
    type: 'boolean',
    default: false,
    group: WALLET,
    help: 'Of older configurations',
    noEffect: '--scan-height of a new container, or the method reset, says where to read from',
    hidden: true,
  },
  {
    name: 'generate-container',
    aliases: ['g'],
    type: 'boolean',
    default: false,
    oneShot: true,
    group: NEW,
    help: 'Make the container, with new keys unless some are given, and exit',
  },
  {
    name: 'view-key',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'Its secret view key, beside --spend-key',
  },
  {
    name: 'spend-key',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'Its secret spend key, beside --view-key',
  },
  {
    name: 'mnemonic-seed',
    type: 'string',
    default: '',
    oneShot: true,
    secret: true,
    group: NEW,
    help: 'The 25 words that tell both keys',
  },
  {
    name: 'scan-height',
    type: 'number',
    default: 0,
    min: 0,
    max: 4_294_967_295,
    oneShot: true,
    group: NEW,
    help: 'The first block that its keys may stand in',
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
    help: 'Its port',
  },
  { name: 'daemon-ssl', type: 'boolean', default: false, group: NODE, help: 'Speak TLS with it' },
  {
    name: 'init-timeout',
    type: 'number',
    default: 10,
    min: 0,
    max: 86_400,
    group: NODE,
    help: 'Of older configurations',
    noEffect: 'the service starts without waiting for a node',
    hidden: true,
  },
  ...nodeFollowOptions(NODE),
  ...localSocketOptions({ prefix: 'bind', group: SOCKET, serves: 'Serve on this socket in place of the port' }),
  hookOption({
    name: 'tx-notify',
    group: HOOKS,
    help: `URL to POST to, or command to run ${PLACEHOLDERS}, for each transaction when it is first seen; may be repeated`,
  }),
  hookOption({
    name: 'tx-confirmed-notify',
    group: HOOKS,
    help: `The same once for each transaction when a block holds it; may be repeated`,
  }),
  ...hookSettings({ group: HOOKS, duringSync: 'Tell of transactions more than 1,440 blocks behind the network too' }),
  logLevel,
  { ...logFile, aliases: ['l'] },
  ...furtherLogging,
]);
