import { type NetworkName, networkOf } from '@wrkz/core-types';
import type { OptionValue } from '@wrkz/service-kit';
import { hasTwoAccessTokens, TWO_ACCESS_TOKENS } from './access-token';

type Values = Readonly<Record<string, OptionValue>>;

/** Options that do not go together, or one that alone says nothing sensible. */
export interface ConfigRefusal {
  readonly when: (values: Values) => boolean;
  /** For the operator; where the other programs of the network have a text for it, theirs. */
  readonly text: string;
}

/** Ports up to this are the system's own; 0 takes any free one. */
const HIGHEST_SYSTEM_PORT = 1024;

function isSystemPort(port: OptionValue): boolean {
  return typeof port === 'number' && port > 0 && port <= HIGHEST_SYSTEM_PORT;
}

/** A saved configuration may name what the network would take anyway. */
function usualDepth(values: Values): number {
  return networkOf(values['simnet'] === true ? 'simnet' : (values['network'] as NetworkName)).pruneDepth;
}

/** What `--dry-run` can tell about. */
const DRY_RUNS = ['resync', 'rewind-to-height', 'prune', 'import-lite-snapshot'] as const;

function isAsked(value: OptionValue): boolean {
  return value !== undefined && value !== false;
}

/** What is refused before anything is touched, in this order. */
export const CONFIG_REFUSALS = {
  noDataDir: { when: (values) => values['data-dir'] === '', text: '--data-dir: a folder is expected' },
  noDumpFile: { when: (values) => values['dump-file'] === '', text: '--dump-file: a file is expected' },
  noCheckpointsFile: {
    when: (values) => values['export-checkpoints'] === '',
    text: '--export-checkpoints: a file is expected',
  },
  noBackupFile: { when: (values) => values['backup'] === '', text: '--backup: a file is expected' },
  twoAccessTokens: { when: hasTwoAccessTokens, text: TWO_ACCESS_TOKENS },
  dryRunOfNothing: {
    when: (values) => values['dry-run'] === true && !DRY_RUNS.some((name) => isAsked(values[name])),
    text: `--dry-run needs what would be done: ${DRY_RUNS.map((name) => `--${name}`).join(', ')}`,
  },
  systemP2pPort: {
    when: (values) => isSystemPort(values['p2p-bind-port']) || isSystemPort(values['p2p-bind-port-ipv6']),
    text: 'P2P Port must be between 1024 and 65,535',
  },
  systemRpcPort: {
    when: (values) => isSystemPort(values['rpc-bind-port']),
    text: 'RPC Port must be between 1024 and 65,535',
  },
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
    when: (values) => values['prune'] !== true && (values['prune-depth'] ?? usualDepth(values)) !== usualDepth(values),
    text: '--prune-depth needs --prune',
  },
  snapshotWithoutLite: {
    when: (values) => values['lite'] !== true && values['import-lite-snapshot'] !== undefined,
    text:
      '--import-lite-snapshot needs --lite and the --lite-height the snapshot was made at. A snapshot only describes ' +
      'the region below a lite height, so there is nothing to import it into without one.',
  },
} as const satisfies Record<string, ConfigRefusal>;

/** What is wrong with the values together; the first that holds. */
export function configComplaint(values: Values): string | undefined {
  return Object.values<ConfigRefusal>(CONFIG_REFUSALS).find(({ when }) => when(values))?.text;
}
