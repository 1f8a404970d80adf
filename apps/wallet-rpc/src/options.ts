import {
  bindAddressOption,
  CORS_OPTION,
  defineOptions,
  hookOption,
  hookSettings,
  inGroup,
  localSocketOptions,
  loggingOptions,
  type LogScale,
  METRICS_OPTION,
  portOption,
  TRUSTED_PROXY_OPTION,
} from '@wrkz/service-kit';
import { NETWORK_OPTION, NODE_FOLLOW_OPTIONS, SCAN_OPTIONS, WORK_THREADS } from '@wrkz/wallet-server';

/** Log levels with the numbers of the C++ program: 0 logs only fatal errors. */
export const SERVICE_LOG_SCALE: LogScale = {
  names: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  numbers: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  help: '0 fatal, 1 error, 2 warning, 3 info, 4 debug, 5 trace, or the name',
  complaint: 'log-level must be between 0..5',
};

const [logLevel, logFile, ...furtherLogging] = loggingOptions({
  scale: SERVICE_LOG_SCALE,
  level: '3',
  file: 'service.log',
  fileHelp: 'Also append log lines to this file; empty for none. A file that cannot be opened is a warning',
});

const PLACEHOLDERS = '(%s hash, %h height, %a amount, %f fee, %p payment id, %c 1 if in a block, else 0)';

/** Options of the command line and the configuration file. */
export const WALLET_RPC_OPTIONS = defineOptions([
  ...inGroup('JSON-RPC', [
    {
      name: 'rpc-password',
      default: '',
      secret: true,
      help: 'Password that every request must contain; required unless --rpc-legacy-security',
    },
    {
      name: 'rpc-legacy-security',
      default: false,
      help: 'Require no password: every client that can connect can spend',
    },
    bindAddressOption({
      name: 'bind-address',
      default: '127.0.0.1',
      help: 'Address to listen on; 0.0.0.0, or :: for IPv4 and IPv6, accepts other machines',
    }),
    portOption({
      name: 'bind-port',
      default: 7856,
      min: 1,
      help: 'TCP port; wrkz-wallet-api has the same default',
    }),
    CORS_OPTION,
    TRUSTED_PROXY_OPTION,
    WORK_THREADS,
  ]),
  ...inGroup('Container', [
    {
      name: 'container-file',
      aliases: ['w'],
      default: '',
      help: 'Required: the container. The old format is converted; the original file is stored beside it',
    },
    {
      name: 'container-password',
      aliases: ['p'],
      default: '',
      secret: true,
      help: 'Password of the container',
    },
    {
      name: 'address',
      default: false,
      oneShot: true,
      help: 'Print the addresses of the container and exit',
    },
    {
      name: 'restore-backup',
      default: '',
      oneShot: true,
      help: 'Restore this container and its database <file>.db as the new --container-file and exit; sends are then paused',
    },
    {
      name: 'server-root',
      default: '',
      defaultText: 'the working directory',
      help: 'Folder to which --container-file and --log-file are relative',
    },
    NETWORK_OPTION,
    ...SCAN_OPTIONS,
    {
      name: 'SYNC_FROM_ZERO',
      default: false,
      help: 'Accepted for older configurations',
      noEffect: 'use --scan-height for a new container, or the method reset',
      hidden: true,
    },
  ]),
  ...inGroup('New container', [
    {
      name: 'generate-container',
      aliases: ['g'],
      default: false,
      oneShot: true,
      help: 'Create the container and exit; generates new keys unless keys are given',
    },
    {
      name: 'view-key',
      default: '',
      oneShot: true,
      secret: true,
      help: 'Secret view key of the new container; requires --spend-key',
    },
    {
      name: 'spend-key',
      default: '',
      oneShot: true,
      secret: true,
      help: 'Secret spend key of the new container; requires --view-key',
    },
    {
      name: 'mnemonic-seed',
      default: '',
      oneShot: true,
      secret: true,
      help: 'Mnemonic seed of the new container: 25 words',
    },
    {
      name: 'scan-height',
      default: 0,
      min: 0,
      max: 4_294_967_295,
      oneShot: true,
      help: 'Height of the first block that may contain transactions of the keys',
    },
  ]),
  ...inGroup('Node', [
    {
      name: 'daemon-address',
      default: '127.0.0.1',
      help: 'Host of the node, or its local socket: /path, @name or ipc://...',
    },
    {
      name: 'daemon-port',
      type: 'number',
      default: undefined,
      min: 1,
      max: 65_535,
      defaultText: "the network's RPC port",
      help: 'RPC port of the node',
    },
    { name: 'daemon-ssl', default: false, help: 'Connect to the node with TLS' },
    {
      name: 'init-timeout',
      default: 10,
      min: 0,
      max: 86_400,
      help: 'Accepted for older configurations',
      noEffect: 'the service starts without waiting for a node',
      hidden: true,
    },
    ...NODE_FOLLOW_OPTIONS,
  ]),
  ...inGroup('Local socket', [
    ...localSocketOptions({ prefix: 'bind', serves: 'Listen on this local socket instead of the port' }),
  ]),
  ...inGroup('Notification hooks', [
    hookOption({
      name: 'tx-notify',
      help: `URL to POST to, or command to run ${PLACEHOLDERS}, when a transaction is first seen; may be repeated`,
    }),
    hookOption({
      name: 'tx-confirmed-notify',
      help: `The same when a block contains the transaction; may be repeated`,
    }),
    ...hookSettings('Also notify of transactions more than 1,440 blocks below the network height'),
  ]),
  ...inGroup('Logging and metrics', [logLevel, { ...logFile, aliases: ['l'] }, ...furtherLogging, METRICS_OPTION]),
]);
