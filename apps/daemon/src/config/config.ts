import { join } from 'node:path';
import type { StorageMode } from '@wrkz/chain-db';
import { type Network, networkOf, type NetworkName } from '@wrkz/core-types';
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
import { defaultZmqEndpoint } from '../events/zmq/endpoint';
import { type AccessToken, accessToken } from './access-token';
import { FORMER, formerDatabaseWarnings } from './former';
import { DAEMON_OPTIONS } from './options';
import { PUBLIC_NODE } from './options/rpc';
import { raised } from './raised';
import { configComplaint } from './refusals';
import { p2pIpv6 } from './p2p-listeners';
import { rpcIpv6, rpcWarnings } from './rpc-listeners';
import { pruneDepthOf, storageModeOf, storageWarnings } from './storage-mode';

/** The resolved options under their own names. */
export type DaemonOptions = ParsedOptions<typeof DAEMON_OPTIONS>['values'];

/** What one start does: serve, or do one thing and end. */
export type Action =
  | 'serve'
  | 'import'
  | 'export'
  | 'export-checkpoints'
  | 'import-snapshot'
  | 'snapshot-info'
  | 'snapshot-stats'
  | 'verify'
  | 'repair'
  | 'backup'
  | 'dry-run'
  | 'self-test';

/** Everything the daemon is told from outside, resolved and checked. */
export interface DaemonConfig {
  readonly options: DaemonOptions;
  readonly network: Network;
  /** The folder of this network's data. */
  readonly directory: string;
  readonly action: Action;
  readonly storage: StorageMode;
  /** Blocks that a pruned node of this configuration keeps, whether it is one or not. */
  readonly pruneDepth: number;
  readonly rpcPort: number;
  readonly p2pPort: number;
  readonly accessToken: AccessToken;
  /** Whether the log file was asked for; the default one may fail without stopping the start. */
  readonly logFileChosen: boolean;
  /** What `--public-node` sets, one `name=value` each; nothing without it. */
  readonly preset: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

/** Blocks that an export of the real network holds at least (docs/protocol/storage.md#dump-file). */
export const SMALLEST_EXPORT = 1000;

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

/** What may follow on the deletion of the chain. */
const TAKES_RESYNC: readonly Action[] = ['import', 'import-snapshot'];

/** What changes the stored chain first and then goes on; an import may follow the one, nothing else the other. */
const PREPARATIONS = ['resync', 'rewind-to-height'] as const;

/**
 * Resolves the command line (without the program's own words) into a configuration.
 * @param commands listed by `--help`
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readConfig(argv: readonly string[], commands: readonly CommandSpec[] = []): DaemonConfig {
  const parsed = parseOptions(DAEMON_OPTIONS, argv, {
    name: 'wrkz-daemon',
    description: 'A full node: checks, keeps and serves the chain.',
    commands,
    check: configComplaint,
    effective: effectiveValues,
    former: FORMER,
    presets: [PUBLIC_NODE],
  });
  const network = networkOf(chosenNetwork(parsed.values, parsed.source));
  const { options, warnings } = raised(parsed.values, parsed.source, network.pruneDepth);
  const action = chosenAction(options);
  const most = options['max-export-blocks'];
  if (network.name === 'mainnet' && most > 0 && most < SMALLEST_EXPORT) {
    throw new UsageError(`--max-export-blocks: an export holds at least ${String(SMALLEST_EXPORT)} blocks`);
  }
  // In a configuration file it is meant for the other starts.
  if ((action === 'verify' || action === 'export') && parsed.source('load-checkpoints') === 'command line') {
    throw new UsageError(`--load-checkpoints: ${ASKED[action]} does not ask any checkpoint`);
  }
  const directory = networkDirectory(options['data-dir'] ?? dataDirectory('daemon'), network);
  return {
    options,
    network,
    directory,
    action,
    storage: storageModeOf(options, network),
    pruneDepth: pruneDepthOf(options, network),
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
      ...formerDatabaseWarnings(directory),
    ],
    secrets: parsed.secrets,
  };
}

function presetLines({ values, source }: ParsedOptions<typeof DAEMON_OPTIONS>): string[] {
  const names = Object.keys(PUBLIC_NODE.values) as (keyof typeof PUBLIC_NODE.values)[];
  return names.filter((name) => source(name) === 'preset').map((name) => `${name}=${String(values[name])}`);
}

/** The option that asks for an action. */
const ASKED = { export: 'export-blockchain', verify: 'verify' } as const;

/** @throws UsageError when several are asked for that do not go together */
function chosenAction(options: DaemonOptions): Action {
  const names = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
  const all = names.filter((name) => options[name] !== false && options[name] !== undefined);
  // A dry run of an import looks at the file: it is the one action that may stand beside.
  const asked = options['dry-run'] ? all.filter((name) => name !== 'import-lite-snapshot') : all;
  const before = PREPARATIONS.filter((name) => options[name] !== false && options[name] !== undefined);
  const action = asked[0] === undefined ? 'serve' : ACTIONS[asked[0]];
  const together =
    action === 'serve' || action === 'dry-run' || (TAKES_RESYNC.includes(action) && before[0] === 'resync');
  if (asked.length > 1 || before.length > 1 || (before.length > 0 && !together)) {
    throw new UsageError(`choose one of ${[...before, ...asked].map((name) => `--${name}`).join(', ')}`);
  }
  return action;
}

/** Where the daemon will listen; nowhere when it does one thing and ends. */
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

/** `--simnet` and `--network` name the same thing: the one of the higher place counts. @throws UsageError */
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

/** What is raised, and what follows from the network where nothing was said. */
const effectiveValues: EffectiveValues = (values, sources) => {
  const choice = values as unknown as DaemonOptions;
  const network = networkOf(chosenNetwork(choice, (name) => sources.get(name) ?? 'default'));
  const { options } = raised(choice, (name) => sources.get(name) ?? 'default', network.pruneDepth);
  const { ports } = network;
  return {
    ...options,
    'prune-depth': pruneDepthOf(options, network),
    'data-dir': choice['data-dir'] ?? dataDirectory('daemon'),
    'rpc-bind-port': choice['rpc-bind-port'] ?? ports.rpc,
    'p2p-bind-port': choice['p2p-bind-port'] ?? ports.p2p,
    'zmq-pub': choice['zmq-pub'] ?? defaultZmqEndpoint(network),
  };
};

/**
 * The test networks live in sub-folders, so that one data directory can serve all of them
 * (docs/protocol/networks.md#profiles).
 */
export function networkDirectory(dataDir: string, network: Network): string {
  return network.dataFolder === undefined ? dataDir : join(dataDir, network.dataFolder);
}
