import { join } from 'node:path';
import type { StorageMode } from '@wrkz/chain-db';
import { type Network, type NetworkName, networkOf } from '@wrkz/core-types';
import {
  type CommandSpec,
  dataDirectory,
  type EffectiveValues,
  type ListenAddress,
  type OptionSource,
  type ParsedOptions,
  parseOptions,
  UsageError,
} from '@wrkz/service-kit';
import { defaultZmqEndpoint } from '../events/zmq';
import { type AccessToken, accessToken } from './access-token';
import { configError, LEGACY_OPTIONS, legacyDatabaseWarnings, applyMinimums } from './option-checks';
import { DAEMON_OPTIONS } from './options';
import { PUBLIC_NODE } from './options/rpc';
import { p2pIpv6, rpcIpv6, rpcWarnings } from './listeners';

/** The resolved options under their own names. */
export type DaemonOptions = ParsedOptions<typeof DAEMON_OPTIONS>['values'];

/** The resolved and validated options of the daemon. */
export interface DaemonConfig {
  readonly options: DaemonOptions;
  readonly network: Network;
  /** The data folder of the network. */
  readonly directory: string;
  readonly action: Action;
  readonly storage: StorageMode;
  /** Block bodies that the node retains, or would retain if it were pruned. */
  readonly pruneDepth: number;
  readonly rpcPort: number;
  readonly p2pPort: number;
  readonly accessToken: AccessToken;
  /** Whether the log file was configured explicitly. If so, it must be writable. */
  readonly logFileChosen: boolean;
  /** The options that `--public-node` sets, as `name=value`; empty without it. */
  readonly preset: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

/** Min blocks of an export on the mainnet (docs/protocol/storage.md#dump-file). */
export const MIN_EXPORT_BLOCKS = 1000;

const ACTIONS = {
  'self-test': 'self-test',
  'import-blockchain': 'import',
  'export-blockchain': 'export',
  'export-checkpoints': 'export-checkpoints',
  'import-lite-snapshot': 'import-snapshot',
  'snapshot-info': 'snapshot-info',
  'snapshot-stats': 'snapshot-stats',
  verify: 'verify',
  repair: 'repair',
  backup: 'backup',
  'dry-run': 'dry-run',
} as const;

/** The task of a start: `serve`, or an action that exits. */
export type Action = 'serve' | (typeof ACTIONS)[keyof typeof ACTIONS];

/** Actions that can be combined with --resync. */
const COMBINES_WITH_RESYNC: readonly Action[] = ['import', 'import-snapshot'];

/** Options that change the stored chain before the daemon serves. */
const PREPARATIONS = ['resync', 'rewind-to-height'] as const;

/**
 * Resolves the command line (without the paths of Node.js and the script) into a configuration.
 * @param commands listed by `--help`
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readConfig(argv: readonly string[], commands: readonly CommandSpec[] = []): DaemonConfig {
  const parsed = parseOptions(DAEMON_OPTIONS, argv, {
    name: 'wrkz-daemon',
    description: 'A full node: verifies, stores and serves the chain.',
    commands,
    check: configError,
    effective: effectiveValues,
    former: LEGACY_OPTIONS,
    presets: [PUBLIC_NODE],
  });
  const network = networkOf(chosenNetwork(parsed.values, parsed.source));
  const { options, warnings } = applyMinimums(parsed.values, parsed.source, network.pruneDepth);
  const pruneDepth = options['prune-depth'] ?? network.pruneDepth;
  const action = chosenAction(options);
  const limit = options['max-export-blocks'];
  if (network.name === 'mainnet' && limit > 0 && limit < MIN_EXPORT_BLOCKS) {
    throw new UsageError(`--max-export-blocks: an export has at least ${String(MIN_EXPORT_BLOCKS)} blocks`);
  }
  // A configuration file may contain the option for other starts.
  if ((action === 'verify' || action === 'export') && parsed.source('load-checkpoints') === 'command line') {
    throw new UsageError(`--load-checkpoints: ${ACTION_OPTIONS[action]} uses no checkpoints`);
  }
  const directory = networkDirectory(options['data-dir'] ?? dataDirectory('daemon'), network);
  return {
    options,
    network,
    directory,
    action,
    storage: storageModeOf(options, pruneDepth),
    pruneDepth,
    rpcPort: options['rpc-bind-port'] ?? network.ports.rpc,
    p2pPort: options['p2p-bind-port'] ?? network.ports.p2p,
    accessToken: accessToken(options),
    logFileChosen: parsed.source('log-file') !== 'default',
    preset: presetLines(parsed),
    warnings: [
      ...parsed.warnings,
      ...warnings,
      ...rpcWarnings(options),
      ...storageWarnings(options),
      ...legacyDatabaseWarnings(directory),
    ],
    secrets: parsed.secrets,
  };
}

function presetLines({ values, source }: ParsedOptions<typeof DAEMON_OPTIONS>): string[] {
  const names = Object.keys(PUBLIC_NODE.values) as (keyof typeof PUBLIC_NODE.values)[];
  return names.filter((name) => source(name) === 'preset').map((name) => `${name}=${String(values[name])}`);
}

const ACTION_OPTIONS = { export: 'export-blockchain', verify: 'verify' } as const;

/** @throws UsageError for actions that cannot be combined */
function chosenAction(options: DaemonOptions): Action {
  const names = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
  const all = names.filter((name) => options[name] !== false && options[name] !== undefined);
  // The import of a snapshot is the only action with a dry run.
  const chosen = options['dry-run'] ? all.filter((name) => name !== 'import-lite-snapshot') : all;
  const before = PREPARATIONS.filter((name) => options[name] !== false && options[name] !== undefined);
  const action = chosen[0] === undefined ? 'serve' : ACTIONS[chosen[0]];
  const isCombination =
    action === 'serve' || action === 'dry-run' || (COMBINES_WITH_RESYNC.includes(action) && before[0] === 'resync');
  if (chosen.length > 1 || before.length > 1 || (before.length > 0 && !isCombination)) {
    throw new UsageError(`choose one of ${[...before, ...chosen].map((name) => `--${name}`).join(', ')}`);
  }
  return action;
}

/** The addresses that a serving daemon listens on; none for an action. */
export function listenAddresses({ action, options, p2pPort, rpcPort }: DaemonConfig): ListenAddress[] {
  if (action !== 'serve') return [];
  return [
    { host: options['rpc-bind-ip'], port: rpcPort, portOption: 'rpc-bind-port' },
    ...rpcIpv6(options).map((host) => ({ host, port: rpcPort, required: false })),
    { host: options['p2p-bind-ip'], port: p2pPort, portOption: 'p2p-bind-port' },
    ...p2pIpv6(options, p2pPort).map((second) => ({ ...second, required: false })),
  ];
}

const RANK = { default: 0, preset: 0, file: 1, 'command line': 2 } as const;

interface NetworkChoice {
  readonly network: NetworkName;
  readonly simnet: boolean;
}

/** `--simnet` and `--network` set the same value: the source with the higher rank wins. @throws UsageError */
function chosenNetwork(
  { network, simnet }: NetworkChoice,
  source: (name: 'network' | 'simnet') => OptionSource,
): NetworkName {
  const [named, short] = [RANK[source('network')], RANK[source('simnet')]];
  if (!simnet || short < named) return network;
  if (short === named && network === 'devnet') {
    throw new UsageError('--simnet contradicts --network devnet');
  }
  return 'simnet';
}

/** The values with minimums applied, and the defaults of the network. */
const effectiveValues: EffectiveValues = (values, sources) => {
  const choice = values as unknown as DaemonOptions;
  const network = networkOf(chosenNetwork(choice, (name) => sources.get(name) ?? 'default'));
  const { options } = applyMinimums(choice, (name) => sources.get(name) ?? 'default', network.pruneDepth);
  const { ports } = network;
  return {
    ...options,
    'prune-depth': options['prune-depth'] ?? network.pruneDepth,
    'data-dir': choice['data-dir'] ?? dataDirectory('daemon'),
    'rpc-bind-port': choice['rpc-bind-port'] ?? ports.rpc,
    'p2p-bind-port': choice['p2p-bind-port'] ?? ports.p2p,
    'zmq-pub': choice['zmq-pub'] ?? defaultZmqEndpoint(network),
  };
};

/**
 * The test networks use subfolders, so that one data directory can serve all networks
 * (docs/protocol/networks.md#profiles).
 */
export function networkDirectory(dataDir: string, network: Network): string {
  return network.dataFolder === undefined ? dataDir : join(dataDir, network.dataFolder);
}

/** The storage mode of valid options. */
function storageModeOf(options: DaemonOptions, pruneDepth: number): StorageMode {
  if (options.lite) return { kind: 'lite', height: options['lite-height'] };
  return options.prune ? { kind: 'pruned', depth: pruneDepth } : { kind: 'full' };
}

/** Warnings about option combinations that limit the node. */
function storageWarnings(options: DaemonOptions): string[] {
  if (!options.prune || options['daemon-mode'] !== 'explorer') return [];
  return ['--prune with --daemon-mode explorer: blocks and transactions are found within the prune depth only'];
}
