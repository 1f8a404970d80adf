import { defineOptions } from '@wrkz/service-kit';

const group = 'Actions (one start)';

/** What one start does instead of serving; never read from a file, never saved. */
export const ACTIONS = defineOptions([
  {
    name: 'import-blockchain',
    type: 'boolean',
    default: false,
    oneShot: true,
    group,
    help: 'Read blocks from the dump file, check and store them, and exit; continues where an earlier import ended',
  },
  {
    name: 'export-blockchain',
    type: 'boolean',
    default: false,
    oneShot: true,
    group,
    help: 'Write the chain into the dump file and exit',
  },
  {
    name: 'max-export-blocks',
    type: 'number',
    default: 0,
    min: 0,
    oneShot: true,
    group,
    help: 'The most blocks an export writes, at least 1000 on the mainnet; 0 for all',
  },
  {
    name: 'dump-file',
    type: 'string',
    default: 'blockchain.dump',
    oneShot: true,
    group,
    help: 'The file of an import or export',
  },
  {
    name: 'verify',
    type: 'boolean',
    default: false,
    oneShot: true,
    group,
    help: 'Recompute the stored chain, tell what was found and its digest, and exit',
  },
]);
