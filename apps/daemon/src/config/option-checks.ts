import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DIFFICULTY_TARGET, type NetworkName, networkOf } from '@wrkz/core-types';
import type { FormerOptions, OptionSource, OptionValue } from '@wrkz/service-kit';
import { hasTwoAccessTokens, TWO_ACCESS_TOKENS } from './access-token';

export type Values = Readonly<Record<string, OptionValue>>;

export interface ConfigRefusal {
  readonly when: (values: Values) => boolean;
  /** For the operator. Equal to the text of the C++ programs where they have one. */
  readonly text: string;
}

/** Shared with reader processes. */
export const NO_DATA_DIR: ConfigRefusal = {
  when: (values) => values['data-dir'] === '',
  text: '--data-dir: a folder is expected',
};

/** Privileged ports, as in the C++ node; 0 is a free port. */
const MAX_SYSTEM_PORT = 1024;

function isSystemPort(port: OptionValue): boolean {
  return typeof port === 'number' && port > 0 && port <= MAX_SYSTEM_PORT;
}

export const SYSTEM_RPC_PORT: ConfigRefusal = {
  when: (values) => isSystemPort(values['rpc-bind-port']),
  text: 'RPC Port must be between 1024 and 65,535',
};

/** The prune depth that the network defaults to: a saved configuration may contain it without --prune. */
function defaultDepth(values: Values): number {
  return networkOf(values['simnet'] === true ? 'simnet' : (values['network'] as NetworkName)).pruneDepth;
}

/** Options that `--dry-run` can report on. */
const DRY_RUNS = ['resync', 'rewind-to-height', 'prune', 'import-lite-snapshot'] as const;

function isSet(value: OptionValue): boolean {
  return value !== undefined && value !== false;
}

/** Invalid combinations of options, checked in this order before anything is changed. */
export const CONFIG_REFUSALS = {
  noDataDir: NO_DATA_DIR,
  noDumpFile: { when: (values) => values['dump-file'] === '', text: '--dump-file: a file is expected' },
  noCheckpointsFile: {
    when: (values) => values['export-checkpoints'] === '',
    text: '--export-checkpoints: a file is expected',
  },
  noBackupFile: { when: (values) => values['backup'] === '', text: '--backup: a file is expected' },
  rpcProcessesWithoutSocket: {
    when: (values) => values['rpc-processes'] !== 0 && values['rpc-ipc-path'] === '',
    text: '--rpc-processes needs --rpc-ipc-path: the processes reach the node over this socket',
  },
  twoAccessTokens: { when: hasTwoAccessTokens, text: TWO_ACCESS_TOKENS },
  dryRunOfNothing: {
    when: (values) => values['dry-run'] === true && !DRY_RUNS.some((name) => isSet(values[name])),
    text: `--dry-run needs what would be done: ${DRY_RUNS.map((name) => `--${name}`).join(', ')}`,
  },
  systemP2pPort: {
    when: (values) => isSystemPort(values['p2p-bind-port']) || isSystemPort(values['p2p-bind-port-ipv6']),
    text: 'P2P Port must be between 1024 and 65,535',
  },
  systemRpcPort: SYSTEM_RPC_PORT,
  liteWithoutHeight: {
    when: (values) => values['lite'] === true && values['lite-height'] === 0,
    text:
      '--lite requires --lite-height, the height from which full block data is kept. There is no sensible default: it ' +
      'decides what this node can never serve or rescan again.',
  },
  liteAndPrune: {
    when: (values) => values['lite'] === true && values['prune'] === true,
    text:
      '--lite and --prune cannot be combined. Pruning below the lite height would remove nothing, and above it would ' +
      'break the promise a lite node makes to serve every block from its lite height up.',
  },
  liteExplorer: {
    when: (values) => values['lite'] === true && values['daemon-mode'] === 'explorer',
    text:
      '--lite and --daemon-mode explorer cannot be combined. Block and transaction lookups below the lite height need ' +
      'the transaction records a lite node never stores, so the explorer endpoints would return nothing for those ' +
      'heights rather than report an error.',
  },
  heightWithoutLite: {
    when: (values) => values['lite'] !== true && values['lite-height'] !== 0,
    text: '--lite-height needs --lite',
  },
  depthWithoutPrune: {
    when: (values) =>
      values['prune'] !== true && (values['prune-depth'] ?? defaultDepth(values)) !== defaultDepth(values),
    text: '--prune-depth needs --prune',
  },
  snapshotWithoutLite: {
    when: (values) => values['lite'] !== true && values['import-lite-snapshot'] !== undefined,
    text:
      '--import-lite-snapshot needs --lite and the --lite-height the snapshot was made at. A snapshot only describes ' +
      'the region below a lite height, so there is nothing to import it into without one.',
  },
} as const satisfies Record<string, ConfigRefusal>;

/** The text of the first refusal that applies. */
export function configError(values: Values): string | undefined {
  return Object.values<ConfigRefusal>(CONFIG_REFUSALS).find(({ when }) => when(values))?.text;
}

/** Options with a minimum that replaces smaller values. */
interface MinimumOptions {
  readonly 'prune-depth': number | undefined;
  readonly 'sync-peer-failure-threshold': number;
  readonly 'sync-batch-min': number;
  readonly 'sync-batch-max': number;
  readonly 'block-sync-bytes': number;
}

type MinimumName = keyof MinimumOptions;

/** Several blocks of the max size. */
const MIN_BLOCK_SYNC_BYTES = 2 * 1024 * 1024;

/**
 * Replaces values below their minimums, with a warning, like the C++ programs.
 * @param minDepth the prune depth of the network
 */
export function applyMinimums<T extends MinimumOptions>(
  options: T,
  source: (name: MinimumName) => OptionSource,
  minDepth: number,
): { readonly options: T; readonly warnings: readonly string[] } {
  const minimums: Readonly<Record<Exclude<MinimumName, 'sync-batch-min'>, number>> = {
    'prune-depth': minDepth,
    'sync-peer-failure-threshold': 1,
    'sync-batch-max': options['sync-batch-min'],
    'block-sync-bytes': MIN_BLOCK_SYNC_BYTES,
  };
  const changes: Partial<Record<MinimumName, number>> = {};
  const warnings: string[] = [];
  for (const name of Object.keys(minimums) as (keyof typeof minimums)[]) {
    const value = options[name];
    if (value === undefined || value >= minimums[name]) continue;
    changes[name] = minimums[name];
    warnings.push(
      name === 'prune-depth'
        ? pruneDepthText(value, minDepth, source(name))
        : `--${name}: ${String(value)} is too small, ${String(minimums[name])} is used`,
    );
  }
  return { options: { ...options, ...changes }, warnings };
}

function pruneDepthText(depth: number, min: number, source: OptionSource): string {
  return (
    `The configured prune depth (${String(depth)}) from ${source === 'file' ? 'the configuration file' : 'CLI'} is below ` +
    `the enforced minimum (${String(min)}, about ${timeOf(min)}). Using the minimum for network health.`
  );
}

/** The time in which the chain grows by this number of blocks. */
function timeOf(blocks: number): string {
  const hours = (blocks * DIFFICULTY_TARGET) / 3600;
  return hours < 48 ? `${String(Math.round(hours))} hours` : `${String(Math.round(hours / 24))} days`;
}

const EXPLORER = { advice: 'use --daemon-mode explorer' };
const NO_ROCKSDB = { advice: 'the chain is one SQLite file', needless: true };

/** Options of older C++ nodes. Their saved configurations contain all of them. */
export const LEGACY_OPTIONS: FormerOptions = {
  'enable-blockexplorer': EXPLORER,
  'enable-blockexplorer-detailed': EXPLORER,
  'enable-mining': { advice: 'mining methods are always served', needless: true },
  'db-enable-level-db': NO_ROCKSDB,
  'db-max-file-size': NO_ROCKSDB,
  'db-max-bytes-for-level-base': NO_ROCKSDB,
  rocksdb: NO_ROCKSDB,
  sqlite: NO_ROCKSDB,
};

/** Files of the RocksDB and LevelDB databases of a C++ node, in its data directory. */
const LEGACY_DATABASES = [join('DB', 'CURRENT'), join('LevelDB', 'CURRENT')];

/**
 * Warns about the data directory of a C++ node: its database is never read, and the chain is synchronized again.
 * @param directory of our chain
 */
export function legacyDatabaseWarnings(directory: string): string[] {
  if (!LEGACY_DATABASES.some((name) => existsSync(join(directory, name)))) return [];
  return [
    `${directory} holds a database of the C++ node, which is neither read nor changed: give --data-dir a folder of its own ` +
      'and import a dump, or synchronize from peers',
  ];
}
