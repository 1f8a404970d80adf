import {
  apiKeyOption,
  bindAddressOption,
  CORS_OPTION,
  inGroup,
  isIpv6Address,
  localSocketOptions,
  METRICS_OPTION,
  portOption,
} from '@wrkz/service-kit';

/** Timers of Node.js overflow after about 24 days; a day is enough. */
const MAX_TIMEOUT_SECONDS = 86_400;

export const RPC = inGroup('RPC', [
  bindAddressOption({
    name: 'rpc-bind-ip',
    default: '127.0.0.1',
    help: 'Address that the RPC listens on',
  }),
  portOption({
    name: 'rpc-bind-port',
    default: undefined,
    defaultText: 'the port of the network',
    min: 0,
    help: 'Port that the RPC listens on; 0 selects a free port',
  }),
  {
    name: 'rpc-use-ipv6',
    default: false,
    help: 'Also listen on --rpc-bind-ipv6-address; if that fails, the daemon logs a warning and continues',
  },
  {
    name: 'rpc-bind-ipv6-address',
    default: '',
    help: 'The IPv6 address of the second listener, on the same port; empty for none',
    validate: (value) => (value === '' || isIpv6Address(String(value)) ? undefined : 'an IPv6 address is expected'),
  },
  {
    name: 'daemon-mode',
    default: 'standard',
    choices: ['standard', 'explorer'],
    help: 'explorer also serves the methods for block explorers',
  },
  {
    name: 'public-node',
    default: false,
    help: 'Preset for a public node: listens on all addresses, lower limits, CORS for any origin, no mining methods; explicit options win',
  },
  {
    name: 'rpc-no-mining',
    default: false,
    help: 'Refuse getblocktemplate and submitblock',
  },
  apiKeyOption({
    name: 'rpc-access-token',
    default: '',
    help: 'Token that requests must send in X-API-Key or as Authorization: Bearer; empty for none',
  }),
  {
    name: 'rpc-access-token-file',
    default: '',
    help: 'File with the access token, mode 600 or 640; a daemon without a terminal reads it again on SIGHUP; empty for none',
  },
  {
    ...CORS_OPTION,
    help: 'Origin whose web pages may call the RPC (Access-Control-Allow-Origin), * for all; empty for none',
  },
  {
    name: 'rpc-allowed-host',
    default: [],
    help: 'Host name, in addition to localhost, accepted in requests to a loopback address, * for any; may be repeated',
    validate: (value) => (/^(\*|[^\s/:@]+)$/.test(String(value)) ? undefined : 'a host name without port is expected'),
  },
  {
    name: 'rpc-trust-proxy',
    default: false,
    help: 'Take the client address from the first entry of X-Forwarded-For; only for a node reachable only through its proxy',
  },
  {
    name: 'rpc-max-rpm',
    default: 240,
    min: 0,
    help: 'Requests per minute from one client address, loopback exempt; 0 for no limit',
  },
  {
    name: 'rpc-max-connections-per-ip',
    default: 64,
    min: 0,
    help: 'Open connections per client address, loopback exempt; 0 for no limit',
  },
  {
    name: 'rpc-max-body-bytes',
    default: 2_097_152,
    min: 1024,
    help: 'Maximum size of a request body in bytes',
  },
  {
    name: 'rpc-read-timeout',
    default: 15,
    min: 1,
    max: MAX_TIMEOUT_SECONDS,
    help: 'Seconds within which a request must arrive completely',
  },
  {
    name: 'rpc-write-timeout',
    default: 30,
    min: 1,
    max: MAX_TIMEOUT_SECONDS,
    help: 'Seconds within which a client must read the next part of its response',
  },
  {
    name: 'rpc-max-block-count',
    default: 1000,
    min: 1,
    help: 'Maximum number of blocks per wallet synchronization request',
  },
  {
    name: 'rpc-max-global-index-range',
    default: 5000,
    min: 100,
    help: 'The block range of /get_global_indexes_for_range must be smaller than this',
  },
  {
    name: 'rpc-sync-cache-size',
    default: 64,
    min: 0,
    max: 65_536,
    help: 'Cache for wallet synchronization responses in megabytes; 0 disables it',
  },
  {
    name: 'rpc-processes',
    default: 0,
    min: 0,
    max: 64,
    help: 'Reader processes that share the RPC port with the node, for more processor cores; needs --rpc-ipc-path',
  },
  METRICS_OPTION,
  {
    name: 'enable-health',
    default: false,
    help: 'Serve GET /health, /livez and /readyz',
  },
]);

/** The values that `--public-node` sets, unless the command line or a file sets them. */
export const PUBLIC_NODE = {
  option: 'public-node',
  values: {
    'rpc-bind-ip': '0.0.0.0',
    'rpc-no-mining': true,
    'enable-cors': '*',
    'rpc-max-connections-per-ip': 16,
    'rpc-max-body-bytes': 524_288,
    'rpc-read-timeout': 10,
    'rpc-max-global-index-range': 1000,
  },
} as const;

export const IPC = inGroup('Local socket', [
  ...localSocketOptions({
    prefix: 'rpc',
    serves: 'Serve the RPC and the console on this socket as well',
  }),
  {
    name: 'rpc-ipc-require-token',
    default: false,
    help: 'Require the access token on the local socket too',
  },
]);
