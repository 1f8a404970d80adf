import { networkNames } from '@wrkz/core-types';
import { defineOptions, ignoredOption, inGroup } from '@wrkz/service-kit';

const MODE = 'Storage mode';
const MAINTENANCE = 'Pruning and compaction';

/** Block indexes have 32 bits. */
const MAX_HEIGHT = 4_294_967_295;

export const NETWORK_AND_STORAGE = inGroup('Network and storage', [
  {
    name: 'network',
    default: 'mainnet',
    choices: networkNames,
    help: 'Network to join; the database records it and cannot be used with another one',
  },
  { name: 'simnet', default: false, help: 'Short for --network simnet' },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: 'a folder in the home directory',
    help: 'Folder of the chain and the peer lists; simnet and devnet use a subfolder with their name',
  },
  {
    name: 'load-checkpoints',
    default: 'default',
    help: 'Checkpoints to trust: a file of lines "index,hash", "default" for the built-in ones, empty for none',
  },
]);

/** Storage modes (docs/operations/storage-modes.md) and the upkeep of the database. */
export const STORAGE = defineOptions([
  ...inGroup(MODE, [
    {
      name: 'prune',
      default: false,
      help: 'Store only the most recent block bodies and free the space of older ones; only --resync restores them',
    },
    {
      name: 'prune-depth',
      type: 'number',
      default: undefined,
      defaultText: 'that of the network: 10080',
      min: 0,
      max: MAX_HEIGHT,
      help: 'Number of block bodies that a pruned node retains, at least 10080',
    },
    {
      name: 'lite',
      default: false,
      help: 'Store full blocks only from --lite-height; can be set only for a new database and is permanent',
    },
    {
      name: 'lite-height',
      default: 0,
      min: 0,
      max: MAX_HEIGHT,
      help: 'The first height that a lite node stores in full',
    },
  ]),
  ...inGroup(MAINTENANCE, [
    {
      name: 'auto-prune-min-gap-blocks',
      default: 120,
      min: 0,
      help: 'New blocks between two pruning runs; 0 prunes only at startup',
    },
    {
      name: 'auto-prune-min-free-bytes',
      default: 4_294_967_296,
      min: 0,
      help: 'A pruned node with less free disk space than this, in bytes, prunes at each new block',
    },
    {
      name: 'scrub-hours',
      default: 24,
      min: 0,
      max: 8760,
      help: 'Hours in which every database page is read once to detect damage; 0 disables it',
    },
    {
      name: 'auto-compaction-min-gap-blocks',
      default: 720,
      min: 0,
      help: 'New blocks between two compactions of the database; 0 disables them',
    },
    ignoredOption({
      name: 'auto-compaction-min-free-bytes',
      default: 8_589_934_592,
      min: 0,
      noEffect: 'a compaction needs free space for the write-ahead log only',
    }),
    {
      name: 'skip-boot-compaction',
      default: false,
      help: 'Do not compact the database at startup',
    },
  ]),
  ...inGroup(MODE, [
    {
      name: 'import-lite-snapshot',
      type: 'string',
      default: undefined,
      oneShot: true,
      help: 'Create the database of a lite node from this snapshot file and exit; no database may exist yet',
    },
    {
      name: 'snapshot-info',
      type: 'string',
      default: undefined,
      oneShot: true,
      help: 'Print the metadata of this snapshot file as one line of JSON and exit',
    },
    {
      name: 'accept-snapshot-digest',
      default: [],
      validate: (value) => (/^[0-9a-f]{64}$/i.test(String(value)) ? undefined : 'a digest has 64 hex characters'),
      help: 'Digest of a snapshot to trust in addition to the built-in ones; may be repeated',
    },
    {
      name: 'snapshot-stats',
      default: false,
      oneShot: true,
      help: 'Print the number of records and bytes of each database table and exit',
    },
  ]),
]);
