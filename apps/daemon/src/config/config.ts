import { join } from 'node:path';
import { type Network, networkOf, type NetworkName } from '@wrkz/core-types';
import {
  dataDirectory,
  type ListenAddress,
  type OptionValue,
  type ParsedOptions,
  parseOptions,
  UsageError,
} from '@wrkz/service-kit';
import { DAEMON_OPTIONS } from './options';
import { PUBLIC_NODE, rpcComplaint } from './options/rpc';
import { rpcIpv6, rpcWarnings } from './rpc-listeners';

/** The resolved options under their own names. */
export type DaemonOptions = ParsedOptions<typeof DAEMON_OPTIONS>['values'];

/** What one start does: serve, or do one thing and end. */
export type Action = 'serve' | 'import' | 'export' | 'verify';

/** Everything the daemon is told from outside, resolved and checked. */
export interface DaemonConfig {
  readonly options: DaemonOptions;
  readonly network: Network;
  /** The folder of this network's data. */
  readonly directory: string;
  readonly action: Action;
  readonly rpcPort: number;
  readonly p2pPort: number;
  /** Whether the log file was asked for; the default one may fail without stopping the start. */
  readonly logFileChosen: boolean;
  /** What `--public-node` sets, one `name=value` each; nothing without it. */
  readonly preset: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

/** Blocks that an export of the real network holds at least (docs/protocol/storage.md#dump-file). */
export const SMALLEST_EXPORT = 1000;

const ACTIONS = { 'import-blockchain': 'import', 'export-blockchain': 'export', verify: 'verify' } as const;

/**
 * Resolves the command line (without the program's own words) into a configuration.
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readConfig(argv: readonly string[]): DaemonConfig {
  const parsed = parseOptions(DAEMON_OPTIONS, argv, {
    name: 'wrkz-daemon',
    description: 'A full node: checks, keeps and serves the chain.',
    check: complaint,
    presets: [PUBLIC_NODE],
  });
  const options = parsed.values;
  const network = networkOf(chosenNetwork(parsed));
  const asked = (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).filter((name) => options[name]);
  if (asked.length > 1) throw new UsageError(`choose one of ${asked.map((name) => `--${name}`).join(', ')}`);
  const most = options['max-export-blocks'];
  if (network.name === 'mainnet' && most > 0 && most < SMALLEST_EXPORT) {
    throw new UsageError(`--max-export-blocks: an export holds at least ${String(SMALLEST_EXPORT)} blocks`);
  }
  const action = asked[0] === undefined ? 'serve' : ACTIONS[asked[0]];
  // In a configuration file it is meant for the other starts.
  if ((action === 'verify' || action === 'export') && parsed.source('load-checkpoints') === 'command line') {
    throw new UsageError(`--load-checkpoints: ${String(asked[0])} does not ask any checkpoint`);
  }
  return {
    options,
    network,
    directory: networkDirectory(options['data-dir'] ?? dataDirectory('daemon'), network),
    action,
    rpcPort: options['rpc-bind-port'] ?? network.ports.rpc,
    p2pPort: options['p2p-bind-port'] ?? network.ports.p2p,
    logFileChosen: parsed.source('log-file') !== 'default',
    preset: presetLines(parsed),
    warnings: [...parsed.warnings, ...rpcWarnings(options)],
    secrets: parsed.secrets,
  };
}

function presetLines({ values, source }: ParsedOptions<typeof DAEMON_OPTIONS>): string[] {
  const names = Object.keys(PUBLIC_NODE.values) as (keyof typeof PUBLIC_NODE.values)[];
  return names.filter((name) => source(name) === 'preset').map((name) => `${name}=${String(values[name])}`);
}

/** Where the daemon will listen; nowhere when it does one thing and ends. */
export function listenAddresses({ action, options, p2pPort, rpcPort }: DaemonConfig): ListenAddress[] {
  if (action !== 'serve') return [];
  return [
    { host: options['rpc-bind-ip'], port: rpcPort },
    ...rpcIpv6(options).map((host) => ({ host, port: rpcPort, required: false })),
    { host: options['p2p-bind-ip'], port: p2pPort },
  ];
}

const RANK = { default: 0, preset: 0, file: 1, 'command line': 2 } as const;

/** `--simnet` and `--network` name the same thing: the one of the higher place counts. @throws UsageError */
function chosenNetwork(parsed: ParsedOptions<typeof DAEMON_OPTIONS>): NetworkName {
  const network = parsed.values.network;
  const [named, short] = [RANK[parsed.source('network')], RANK[parsed.source('simnet')]];
  if (!parsed.values.simnet || short < named) return network;
  if (short === named && network === 'devnet') {
    throw new UsageError('--simnet contradicts --network devnet');
  }
  return 'simnet';
}

/**
 * The test networks live in sub-folders, so that one data directory can serve all of them
 * (docs/protocol/networks.md#profiles).
 */
export function networkDirectory(dataDir: string, network: Network): string {
  return network.dataFolder === undefined ? dataDir : join(dataDir, network.dataFolder);
}

function complaint(values: Readonly<Record<string, OptionValue>>): string | undefined {
  if (values['data-dir'] === '') return '--data-dir: a folder is expected';
  if (values['dump-file'] === '') return '--dump-file: a file is expected';
  return rpcComplaint(values);
}
