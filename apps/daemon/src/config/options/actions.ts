import { arch, release, type, version } from 'node:os';
import { networkOf, parseBlock } from '@wrkz/core-types';
import { inGroup } from '@wrkz/service-kit';

const FLAG = { default: false, oneShot: true } as const;

/** Actions of one start, instead of serving or before it (refused in a file, never saved), and their settings. */
export const ACTIONS = inGroup('Actions (one start)', [
  {
    ...FLAG,
    name: 'os-version',
    prints: () => `${type()} ${release()} ${arch()} (${version()})`,
    help: 'Show the version of the operating system and exit',
  },
  {
    ...FLAG,
    name: 'print-genesis-tx',
    prints: () => parseBlock(networkOf('mainnet').genesis.block).coinbase.bytes.toString('hex'),
    help: 'Print the coinbase transaction of the genesis block as hex and exit',
  },
  {
    ...FLAG,
    name: 'self-test',
    help: 'Compute known hashes and signatures on every native path of this machine and exit with 0 or 1',
  },
  {
    ...FLAG,
    name: 'resync',
    help: 'Delete the chain and the peer lists (not the bans) without confirmation, and sync again',
  },
  {
    name: 'rewind-to-height',
    type: 'number',
    default: undefined,
    min: 0,
    oneShot: true,
    validate: (value) => (value === 0 ? '0 would leave no block; use --resync to begin again' : undefined),
    help: 'Remove all blocks from this index up to the tip (at most 4320 below it) and continue from there',
  },
  {
    ...FLAG,
    name: 'dry-run',
    help: 'With --resync, --rewind-to-height, --prune or --import-lite-snapshot: print what would be done, change nothing, exit',
  },
  {
    ...FLAG,
    name: 'import-blockchain',
    help: 'Import blocks from the dump file, with all checks, and exit; resumes an interrupted import',
  },
  {
    name: 'import-validate',
    default: false,
    noEffect: 'an import always checks every block',
    help: 'Accepted; imports always check every block',
  },
  { ...FLAG, name: 'export-blockchain', help: 'Write the chain into the dump file and exit' },
  {
    name: 'max-export-blocks',
    default: 0,
    min: 0,
    help: 'Maximum number of blocks to export, at least 1000 on mainnet; 0 for all',
  },
  {
    name: 'dump-file',
    default: 'blockchain.dump',
    help: 'File for imports and exports',
  },
  {
    name: 'export-checkpoints',
    type: 'string',
    default: undefined,
    oneShot: true,
    help: 'Write a checkpoint for every hundredth block into this file, for --load-checkpoints, and exit',
  },
  {
    name: 'backup',
    type: 'string',
    default: undefined,
    oneShot: true,
    help: 'Copy the database into this file, verify the copy and exit; works while a node is running',
  },
  { ...FLAG, name: 'verify', help: 'Verify the whole database, print the problems and the digests, and exit' },
  { ...FLAG, name: 'repair', help: 'Repair a damaged database and exit; unreadable blocks are downloaded from peers' },
]);
