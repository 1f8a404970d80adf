import { networkNames } from '@wrkz/core-types';
import { defineOptions } from '@wrkz/service-kit';

const MODE = 'Storage mode';
const MAINTENANCE = 'Pruning and compaction';

/** Block indexes have 32 bits. */
const HIGHEST_BLOCK = 4_294_967_295;

export const NETWORK_AND_STORAGE = defineOptions([
  {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group: 'Network and storage',
    help: 'The network to join; written into the database, which refuses another one later',
  },
  { name: 'simnet', type: 'boolean', default: false, group: 'Network and storage', help: 'Short for --network simnet' },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: 'a folder of its own in the home directory',
    group: 'Network and storage',
    help: 'The folder of the chain and the peer lists; simnet and devnet use a subfolder of their name',
  },
  {
    name: 'load-checkpoints',
    type: 'string',
    default: 'default',
    group: 'Network and storage',
    help: 'Checkpoints to trust: a file of lines "index,hash", "default" for the built-in ones, empty for none',
  },
]);

/** Storage modes (docs/operations/storage-modes.md) and the upkeep of the database. */
export const STORAGE = defineOptions([
  {
    name: 'prune',
    type: 'boolean',
    default: false,
    group: MODE,
    help: 'Store only the most recent block bodies; the space of the others is freed, and only --resync restores them',
  },
  {
    name: 'prune-depth',
    type: 'number',
    default: undefined,
    defaultText: 'that of the network: 10080',
    min: 0,
    max: HIGHEST_BLOCK,
    group: MODE,
    help: 'Block bodies that a pruned node retains, at least 10080',
  },
  {
    name: 'lite',
    type: 'boolean',
    default: false,
    group: MODE,
    help: 'Store full blocks from --lite-height on only, for good; for a new database',
  },
  {
    name: 'lite-height',
    type: 'number',
    default: 0,
    min: 0,
    max: HIGHEST_BLOCK,
    group: MODE,
    help: 'The first height that a lite node stores in full',
  },
  {
    name: 'auto-prune-min-gap-blocks',
    type: 'number',
    default: 120,
    min: 0,
    group: MAINTENANCE,
    help: 'New blocks from one pruning to the next, 0 for none but that at the start',
  },
  {
    name: 'auto-prune-min-free-bytes',
    type: 'number',
    default: 4_294_967_296,
    min: 0,
    group: MAINTENANCE,
    help: 'Free bytes below which a pruned node prunes at each new block',
  },
  {
    name: 'scrub-hours',
    type: 'number',
    default: 24,
    min: 0,
    max: 8760,
    group: MAINTENANCE,
    help: 'Read every page of the database once within so many hours to find damage, 0 for never',
  },
  {
    name: 'auto-compaction-min-gap-blocks',
    type: 'number',
    default: 720,
    min: 0,
    group: MAINTENANCE,
    help: 'Blocks from one compaction of the database to the next, 0 for none',
  },
  {
    name: 'auto-compaction-min-free-bytes',
    type: 'number',
    default: 8_589_934_592,
    min: 0,
    noEffect: 'a compaction needs free space for the write-ahead log only',
    group: MAINTENANCE,
    help: 'Accepted; a compaction needs free space for the write-ahead log only',
  },
  {
    name: 'skip-boot-compaction',
    type: 'boolean',
    default: false,
    group: MAINTENANCE,
    help: 'Do not compact the database at the start',
  },
  {
    name: 'import-lite-snapshot',
    type: 'string',
    default: undefined,
    oneShot: true,
    group: MODE,
    help: 'Build the database of a lite node from a snapshot file, where there is none yet, and exit',
  },
  {
    name: 'snapshot-info',
    type: 'string',
    default: undefined,
    oneShot: true,
    group: MODE,
    help: 'Print what a snapshot file says of itself, one line of JSON, and exit',
  },
  {
    name: 'accept-snapshot-digest',
    type: 'list',
    default: [],
    group: MODE,
    validate: (value) => (/^[0-9a-f]{64}$/i.test(String(value)) ? undefined : 'a digest has 64 hex characters'),
    help: 'A snapshot to trust besides the built-in ones, by its digest; may be repeated',
  },
  {
    name: 'snapshot-stats',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: MODE,
    help: 'Print what each table of the database holds and exit',
  },
]);
