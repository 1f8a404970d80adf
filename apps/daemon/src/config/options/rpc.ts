import {
  apiKeyOption,
  bindAddressOption,
  corsOption,
  defineOptions,
  isIpv6Address,
  metricsOption,
  portOption,
  type OptionValue,
} from '@wrkz/service-kit';

const group = 'RPC';

/** A timer of Node.js cannot be set further ahead than some 24 days. */
const LONGEST_SECONDS = 86_400;

export const RPC = defineOptions([
  bindAddressOption({ name: 'rpc-bind-ip', default: '127.0.0.1', group, help: 'The address the RPC listens on' }),
  portOption({
    name: 'rpc-bind-port',
    default: undefined,
    defaultText: 'the port of the network',
    min: 0,
    group,
    help: 'The port the RPC listens on; 0 takes a free one',
  }),
  {
    name: 'rpc-use-ipv6',
    type: 'boolean',
    default: false,
    group,
    help: 'Listen on --rpc-bind-ipv6-address too; when that cannot be had, a warning says so',
  },
  {
    name: 'rpc-bind-ipv6-address',
    type: 'string',
    default: '',
    group,
    help: 'The IPv6 address of the second listener, on the same port; empty for none',
    validate: (value) => (value === '' || isIpv6Address(String(value)) ? undefined : 'an IPv6 address is expected'),
  },
  {
    name: 'daemon-mode',
    type: 'string',
    default: 'standard',
    choices: ['standard', 'explorer'],
    group,
    help: 'Whether the explorer methods are served too',
  },
  {
    name: 'public-node',
    type: 'boolean',
    default: false,
    group,
    help: 'A node open to everybody: listens on all addresses, tighter limits, pages of any origin, no mining calls; what is set otherwise stands',
  },
  {
    name: 'rpc-no-mining',
    type: 'boolean',
    default: false,
    group,
    help: 'Refuse getblocktemplate and submitblock',
  },
  apiKeyOption({
    name: 'rpc-access-token',
    default: '',
    group,
    help: 'The token that requests must carry in X-API-Key or as Authorization: Bearer; empty for none',
  }),
  corsOption({
    name: 'enable-cors',
    group,
    help: 'The origin whose pages may call the RPC (Access-Control-Allow-Origin), * for all; empty for none',
  }),
  {
    name: 'rpc-allowed-host',
    type: 'list',
    default: [],
    group,
    help: 'A name, besides localhost, that requests to a loopback address may be addressed to, * for any; may be repeated',
    validate: (value) => (/^(\*|[^\s/:@]+)$/.test(String(value)) ? undefined : 'a host name without port is expected'),
  },
  {
    name: 'rpc-trust-proxy',
    type: 'boolean',
    default: false,
    group,
    help: 'Take the client address from the first entry of X-Forwarded-For; only for a node that nobody reaches but its proxy',
  },
  {
    name: 'rpc-max-rpm',
    type: 'number',
    default: 240,
    min: 0,
    group,
    help: 'Requests a minute from one client address, loopback exempt; 0 for no limit',
  },
  {
    name: 'rpc-max-connections-per-ip',
    type: 'number',
    default: 64,
    min: 0,
    group,
    help: 'Open connections of one address, loopback exempt; 0 for no limit',
  },
  {
    name: 'rpc-max-body-bytes',
    type: 'number',
    default: 2_097_152,
    min: 1024,
    group,
    help: 'The largest request body, in bytes',
  },
  {
    name: 'rpc-read-timeout',
    type: 'number',
    default: 15,
    min: 1,
    max: LONGEST_SECONDS,
    group,
    help: 'Seconds that a request may take to arrive',
  },
  {
    name: 'rpc-write-timeout',
    type: 'number',
    default: 30,
    min: 1,
    max: LONGEST_SECONDS,
    group,
    help: 'Seconds in which a caller must take something of its answer',
  },
  {
    name: 'rpc-max-block-count',
    type: 'number',
    default: 1000,
    min: 1,
    group,
    help: 'The most blocks that a wallet may ask for at once',
  },
  {
    name: 'rpc-max-global-index-range',
    type: 'number',
    default: 5000,
    min: 100,
    group,
    help: 'The range of /get_global_indexes_for_range stays below so many blocks',
  },
  {
    name: 'rpc-sync-cache-size',
    type: 'number',
    default: 64,
    min: 0,
    max: 65_536,
    group,
    help: 'Megabytes of finished wallet-sync answers that are kept; 0 for none',
  },
  metricsOption({ name: 'enable-metrics', group, help: 'Serve GET /metrics for Prometheus' }),
  { name: 'enable-health', type: 'boolean', default: false, group, help: 'Serve GET /health, /livez and /readyz' },
]);

/** What `--public-node` stands for; whatever is set on the command line or in a file counts instead. */
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

/** Says which options of the RPC contradict each other. */
export function rpcComplaint(values: Readonly<Record<string, OptionValue>>): string | undefined {
  if (values['lite'] === true && values['daemon-mode'] === 'explorer') return LITE_EXPLORER;
  return undefined;
}

const LITE_EXPLORER =
  '--lite and --daemon-mode explorer cannot be combined. Block and transaction lookups below the lite height need the ' +
  'transaction records a lite node never stores, so the explorer endpoints would return nothing for those heights rather ' +
  'than report an error.';
