import { type Network, networkOf } from '@wrkz/core-types';
import {
  checkSocketPath,
  dataDirectory,
  defineCommands,
  hasLocalSockets,
  isSocketAddress,
  type ListenAddress,
  type OptionSpec,
  type OptionValue,
  parseCommand,
  type ParsedOptions,
  socketPath,
  UsageError,
} from '@wrkz/service-kit';
import { type AccessToken, accessToken, hasTwoAccessTokens, TWO_ACCESS_TOKENS } from '../config/access-token';
import { networkDirectory } from '../config/config';
import { FORMER } from '../config/former';
import { rpcIpv6, rpcWarnings } from '../config/rpc-listeners';
import { SERVE_RPC_OPTIONS } from './options';

export type ServeRpcOptions = ParsedOptions<typeof SERVE_RPC_OPTIONS>['values'];

/** Everything that a reader process is told from outside, resolved and checked. */
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

type Values = Readonly<Record<string, OptionValue>>;

interface Refusal {
  readonly when: (values: Values) => boolean;
  readonly text: string;
}

const text = (values: Values, name: string): string => String(values[name] ?? '');

/** What is refused before anything is opened, in this order. */
export const SERVE_RPC_REFUSALS = {
  noDataDir: { when: (values) => values['data-dir'] === '', text: '--data-dir: a folder is expected' },
  twoNetworks: {
    when: (values) => values['simnet'] === true && values['network'] === 'devnet',
    text: '--simnet contradicts --network devnet',
  },
  noNodeSocket: {
    when: (values) => values['node-socket'] === '',
    text:
      "serve-rpc needs --node-socket, the running node's --rpc-ipc-path: what is not on disk (pool, peers, sending) is asked " +
      'of the node there.',
  },
  noSocketAddress: {
    when: (values) => !isSocketAddress(text(values, 'node-socket')),
    text: '--node-socket: an absolute path, an @name or ipc://path is expected. Readers ask their node over no TCP port.',
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
    text:
      "serve-rpc needs --rpc-bind-port: the network's port is the node's, and each reader listens on one of its own " +
      '(0 takes a free one).',
  },
  systemPort: {
    when: (values) => {
      const port = values['rpc-bind-port'];
      return typeof port === 'number' && port > 0 && port <= 1024;
    },
    text: 'RPC Port must be between 1024 and 65,535',
  },
} as const satisfies Record<string, Refusal>;

function complaint(values: Values): string | undefined {
  const refused = Object.values<Refusal>(SERVE_RPC_REFUSALS).find(({ when }) => when(values));
  return refused?.text ?? socketComplaint(text(values, 'node-socket'));
}

function socketComplaint(address: string): string | undefined {
  const wrong = checkSocketPath(socketPath(address));
  return wrong && `--node-socket: ${wrong}`;
}

export const SERVE_RPC_COMMANDS = defineCommands([
  {
    name: 'serve-rpc',
    help: 'Answer RPC requests beside a running node, out of its database; any number of these may run.',
    options: SERVE_RPC_OPTIONS,
    check: complaint,
    effective: (values) => ({ 'data-dir': values['data-dir'] ?? dataDirectory('daemon') }),
  },
]);

/**
 * What to serve, when the command line asks for that: `serve-rpc` and its options; else undefined.
 * @param others the options of a node, which may stand in a configuration file
 * @throws EarlyExit, UsageError
 */
export function readServeRpc(argv: readonly string[], others: readonly OptionSpec[]): ServeRpcConfig | undefined {
  const words = argv.filter((word) => word !== '--');
  if (words[0] !== 'serve-rpc') return undefined;
  const program = { name: 'wrkz-daemon', options: others, commands: SERVE_RPC_COMMANDS, former: FORMER };
  const parsed = parseCommand(program, words) as unknown as ParsedOptions<typeof SERVE_RPC_OPTIONS>;
  if (!hasLocalSockets()) throw new UsageError('serve-rpc: there are no local sockets on this system');
  const options = parsed.values;
  const network = networkOf(options.simnet ? 'simnet' : options.network);
  return {
    options,
    network,
    directory: networkDirectory(options['data-dir'] ?? dataDirectory('daemon'), network),
    rpcPort: options['rpc-bind-port'] ?? 0,
    accessToken: accessToken(options),
    nodeSocket: socketPath(options['node-socket']),
    warnings: [...parsed.warnings, ...rpcWarnings({ ...options, 'public-node': false })],
    secrets: parsed.secrets,
  };
}

/** Where the reader will listen. */
export function readerAddresses({ options, rpcPort }: ServeRpcConfig): ListenAddress[] {
  return [
    { host: options['rpc-bind-ip'], port: rpcPort, portOption: 'rpc-bind-port' },
    ...rpcIpv6(options).map((host) => ({ host, port: rpcPort, required: false })),
  ];
}
