import { defineOptions } from '@wrkz/service-kit';

const group = 'Storage mode';
const MAINTENANCE = 'Pruning and compaction';

/** Blocks that a pruned node keeps at least, and unless told otherwise (docs/protocol/networks.md#profiles). */
export const LEAST_PRUNE_DEPTH = 10_080;

/** Storage modes and the upkeep of the database: declared and checked, and refused until the node has them. */
export const STORAGE = defineOptions([
  {
    name: 'prune',
    type: 'boolean',
    default: false,
    unbuilt: true,
    group,
    help: 'Keep only the most recent block bodies; not in this version',
  },
  {
    name: 'prune-depth',
    type: 'number',
    default: LEAST_PRUNE_DEPTH,
    min: 0,
    unbuilt: true,
    group,
    help: 'Block bodies that a pruned node keeps, 10080 at least; not in this version',
  },
  {
    name: 'lite',
    type: 'boolean',
    default: false,
    unbuilt: true,
    group,
    help: 'Store full blocks from --lite-height on only, for good; not in this version',
  },
  {
    name: 'lite-height',
    type: 'number',
    default: 0,
    min: 0,
    unbuilt: true,
    group,
    help: 'The first height that a lite node stores in full; not in this version',
  },
  {
    name: 'auto-prune-min-gap-blocks',
    type: 'number',
    default: 120,
    min: 0,
    unbuilt: true,
    group: MAINTENANCE,
    help: 'Blocks from one pruning to the next, 0 for none; not in this version',
  },
  {
    name: 'auto-prune-min-free-bytes',
    type: 'number',
    default: 4_294_967_296,
    min: 0,
    unbuilt: true,
    group: MAINTENANCE,
    help: 'Free bytes below which pruning does not wait; not in this version',
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
    group: MAINTENANCE,
    help: 'Free bytes that a compaction of the schedule needs to begin',
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
    unbuilt: true,
    group,
    help: 'Load a snapshot into an empty database and exit; not in this version',
  },
  {
    name: 'snapshot-info',
    type: 'string',
    default: undefined,
    oneShot: true,
    unbuilt: true,
    group,
    help: 'Print what a snapshot file says of itself and exit; not in this version',
  },
  {
    name: 'snapshot-stats',
    type: 'boolean',
    default: false,
    oneShot: true,
    unbuilt: true,
    group,
    help: 'Report what each table holds and exit; not in this version',
  },
]);
