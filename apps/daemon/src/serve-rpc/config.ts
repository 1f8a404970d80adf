import { type Network, networkOf } from '@wrkz/core-types';
import {
  apiKeyOption,
  checkSocketPath,
  dataDirectory,
  defineCommands,
  defineOptions,
  hasLocalSockets,
  inGroup,
  isSocketAddress,
  type ListenAddress,
  loggingOptions,
  NODE_LOG_SCALE,
  type OptionSpec,
  parseCommand,
  type ParsedOptions,
  socketPath,
  UsageError,
} from '@wrkz/service-kit';
import { type AccessToken, accessToken, hasTwoAccessTokens, TWO_ACCESS_TOKENS } from '../config/access-token';
import { networkDirectory } from '../config/config';
import { type ConfigRefusal, LEGACY_OPTIONS, NO_DATA_DIR, SYSTEM_RPC_PORT, type Values } from '../config/option-checks';
import { DATABASE } from '../config/options/database';
import { IPC, RPC } from '../config/options/rpc';
import { optionsOf } from '../config/options';
import { NETWORK_AND_STORAGE } from '../config/options/storage';
import { rpcIpv6, rpcWarnings } from '../config/listeners';

/** The options of `wrkz-daemon serve-rpc`. Node and reader have the same names, so that they can share a file. */
export const SERVE_RPC_OPTIONS = defineOptions([
  ...optionsOf(NETWORK_AND_STORAGE, ['network', 'simnet', 'data-dir']),
  ...inGroup('Node', [
    {
      name: 'node-socket',
      default: '',
      help: "The node's local socket (its --rpc-ipc-path): an absolute path, @name or ipc://path",
    },
    apiKeyOption({
      name: 'node-access-token',
      default: '',
      help: 'The access token, for a node that requires it on its socket, too (--rpc-ipc-require-token)',
    }),
    {
      name: 'node-timeout',
      default: 30,
      min: 1,
      max: 3600,
      help: 'Max seconds without data from the node while it responds to a forwarded request',
    },
  ]),
  ...optionsOf(DATABASE, ['db-read-buffer-size', 'db-threads']),
  ...optionsOf(RPC, [
    'rpc-bind-ip',
    'rpc-bind-port',
    'rpc-use-ipv6',
    'rpc-bind-ipv6-address',
    'daemon-mode',
    'rpc-no-mining',
    'rpc-access-token',
    'rpc-access-token-file',
    'enable-cors',
    'rpc-allowed-host',
    'rpc-trust-proxy',
    'rpc-max-rpm',
    'rpc-max-connections-per-ip',
    'rpc-max-body-bytes',
    'rpc-read-timeout',
    'rpc-write-timeout',
    'rpc-max-block-count',
    'rpc-max-global-index-range',
    'rpc-sync-cache-size',
    'enable-metrics',
    'enable-health',
  ]),
  ...IPC,
  ...inGroup(
    'Logging',
    loggingOptions({
      scale: NODE_LOG_SCALE,
      level: '2',
      file: '',
      fileHelp: 'Also append log lines to this file; empty for none',
    }),
  ),
]);

export type ServeRpcOptions = ParsedOptions<typeof SERVE_RPC_OPTIONS>['values'];

/** The validated configuration of a reader process. */
export interface ServeRpcConfig {
  readonly options: ServeRpcOptions;
  readonly network: Network;
  /** The folder of the node's data of this network. */
  readonly directory: string;
  readonly rpcPort: number;
  readonly accessToken: AccessToken;
  /** The socket of the node, as a path or `@name`. */
  readonly nodeSocket: string;
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

const text = (values: Values, name: string): string => String(values[name] ?? '');

/** Errors of the options, in the order of the checks. Nothing has been opened yet. */
export const SERVE_RPC_REFUSALS = {
  noDataDir: NO_DATA_DIR,
  twoNetworks: {
    when: (values) => values['simnet'] === true && values['network'] === 'devnet',
    text: '--simnet contradicts --network devnet',
  },
  noNodeSocket: {
    when: (values) => values['node-socket'] === '',
    text:
      "serve-rpc needs --node-socket, the running node's --rpc-ipc-path: requests for data that is not on disk (pool, peers, " +
      'sending) are forwarded to it.',
  },
  noSocketAddress: {
    when: (values) => !isSocketAddress(text(values, 'node-socket')),
    text: '--node-socket: an absolute path, an @name or ipc://path is expected. A TCP port of the node is not supported.',
  },
  ownSocket: {
    when: (values) =>
      values['rpc-ipc-path'] !== '' &&
      socketPath(text(values, 'node-socket')) === socketPath(text(values, 'rpc-ipc-path')),
    text: '--node-socket and --rpc-ipc-path are the same: a reader cannot be its own node.',
  },
  twoAccessTokens: { when: hasTwoAccessTokens, text: TWO_ACCESS_TOKENS },
  noPort: {
    when: (values) => values['rpc-bind-port'] === undefined,
    text: "serve-rpc needs --rpc-bind-port: the network's port is the node's. 0 takes a free port.",
  },
  systemPort: SYSTEM_RPC_PORT,
} as const satisfies Record<string, ConfigRefusal>;

/** The first error of the options, undefined without one. */
function checkOptions(values: Values): string | undefined {
  const error = Object.values<ConfigRefusal>(SERVE_RPC_REFUSALS).find(({ when }) => when(values));
  if (error !== undefined) return error.text;
  const problem = checkSocketPath(socketPath(text(values, 'node-socket')));
  return problem && `--node-socket: ${problem}`;
}

export const SERVE_RPC_COMMANDS = defineCommands([
  {
    name: 'serve-rpc',
    help: 'Serve RPC requests beside a running node, from its database; any number of these may run.',
    options: SERVE_RPC_OPTIONS,
    check: checkOptions,
    effective: (values) => ({ 'data-dir': values['data-dir'] ?? dataDirectory('daemon') }),
  },
]);

/**
 * The configuration if the command is `serve-rpc`; otherwise undefined.
 * @param others the options of a node, which a shared configuration file may have
 * @throws EarlyExit, UsageError
 */
export function readServeRpc(argv: readonly string[], others: readonly OptionSpec[]): ServeRpcConfig | undefined {
  const words = argv.filter((word) => word !== '--');
  if (words[0] !== 'serve-rpc') return undefined;
  const program = { name: 'wrkz-daemon', options: others, commands: SERVE_RPC_COMMANDS, former: LEGACY_OPTIONS };
  const parsed = parseCommand(program, words) as unknown as ParsedOptions<typeof SERVE_RPC_OPTIONS>;
  if (!hasLocalSockets()) throw new UsageError('serve-rpc: there are no local sockets on this system');
  return serveRpcConfig(parsed.values, parsed);
}

/** @throws UsageError for a token file that cannot be used */
export function serveRpcConfig(
  options: ServeRpcOptions,
  { warnings, secrets }: Pick<ServeRpcConfig, 'warnings' | 'secrets'>,
): ServeRpcConfig {
  const network = networkOf(options.simnet ? 'simnet' : options.network);
  return {
    options,
    network,
    directory: networkDirectory(options['data-dir'] ?? dataDirectory('daemon'), network),
    rpcPort: options['rpc-bind-port'] ?? 0,
    accessToken: accessToken(options),
    nodeSocket: socketPath(options['node-socket']),
    warnings: [...warnings, ...rpcWarnings({ ...options, 'public-node': false })],
    secrets,
  };
}

/** The addresses on which the reader will listen. */
export function readerAddresses({ options, rpcPort }: ServeRpcConfig): ListenAddress[] {
  return [
    { host: options['rpc-bind-ip'], port: rpcPort, portOption: 'rpc-bind-port' },
    ...rpcIpv6(options).map((host) => ({ host, port: rpcPort, required: false })),
  ];
}
