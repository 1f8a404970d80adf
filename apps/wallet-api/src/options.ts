import {
  apiKeyOption,
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
  secondAddressOption,
  TRUSTED_PROXY_OPTION,
} from '@wrkz/service-kit';
import { BACKUP_OPTIONS, NETWORK_OPTION, NODE_FOLLOW_OPTIONS, SCAN_OPTIONS, WORK_THREADS } from '@wrkz/wallet-server';

/** Log levels with the numbers of the C++ program: 0 disables logging, and there is no level `error`. */
export const WALLET_LOG_SCALE: LogScale = {
  names: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  numbers: ['disabled', 'fatal', 'warning', 'info', 'debug', 'trace'],
  help: '0 disabled, 1 fatal, 2 warning, 3 info, 4 debug, 5 trace, or the name',
  complaint: 'Log level must be between 0 and 5!',
};

/** Options of the command line and the configuration file. */
export const WALLET_API_OPTIONS = defineOptions([
  ...inGroup('API', [
    {
      ...apiKeyOption({
        name: 'rpc-password',
        default: undefined,
        help: 'Main API key (required): clients send it in the header X-API-KEY, on every listener',
      }),
      aliases: ['r'],
    },
    {
      name: 'rpc-key-file',
      default: '',
      help: 'JSON file with additional API keys, each with its own scope and limits; empty for none',
    },
    {
      name: 'audit-log',
      default: '',
      help: 'File with a JSON line per request that reads keys, moves money or changes the wallet; empty for none',
    },
    bindAddressOption({
      name: 'rpc-bind-ip',
      default: '127.0.0.1',
      help: 'Address to listen on; 0.0.0.0 (IPv4) or :: (both families) accepts other machines',
    }),
    { ...portOption({ name: 'port', default: 7856, min: 1, help: 'TCP port' }), aliases: ['p'] },
    secondAddressOption({
      name: 'rpc-bind-ipv6-address',
      default: '',
      help: 'Address of a second listener on the same port; requires --rpc-use-ipv6',
    }),
    { name: 'rpc-use-ipv6', default: false, help: 'Open the second listener' },
    CORS_OPTION,
    TRUSTED_PROXY_OPTION,
    WORK_THREADS,
  ]),
  ...inGroup('Wallet', [
    NETWORK_OPTION,
    {
      name: 'wallet-dir',
      default: '',
      defaultText: 'the working directory',
      help: 'Directory of wallet files; file names in requests are relative to it and must not leave it',
    },
    {
      name: 'allow-any-path',
      default: false,
      help: 'Allow file names outside --wallet-dir',
    },
    ...BACKUP_OPTIONS,
    ...SCAN_OPTIONS,
    {
      name: 'rescan-from',
      type: 'number',
      default: undefined,
      defaultText: 'the last scanned block',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'Rescan from this block height, once per opened wallet file; earlier transactions are retained',
    },
  ]),
  ...inGroup('Node', [
    {
      name: 'sync-windows',
      default: false,
      help: 'No effect, accepted for older configurations: block windows are always requested in parallel',
      noEffect: 'block windows are always requested in parallel',
    },
    ...NODE_FOLLOW_OPTIONS,
  ]),
  ...inGroup('Local socket', [...localSocketOptions({ prefix: 'rpc', serves: 'Also serve the API on this socket' })]),
  ...inGroup('Notification hooks', [
    hookOption({
      name: 'tx-notify',
      help:
        'URL to POST to, or command to run (%s hash, %h height, %a amount, %f fee, %p payment id, %c 1), for each ' +
        'transaction found in a block; may be repeated',
    }),
    ...hookSettings('Also report transactions more than 1,440 blocks below the network height'),
  ]),
  ...inGroup('Console, logging and metrics', [
    {
      name: 'no-console',
      default: false,
      help: 'Do not read console commands (exit, quit, help)',
    },
    ...loggingOptions({
      scale: WALLET_LOG_SCALE,
      level: '0',
      file: undefined,
    }),
    METRICS_OPTION,
  ]),
]);
