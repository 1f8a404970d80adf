import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FormerOptions } from '@wrkz/service-kit';

/* What the other programs of the network leave to an operator who moves: configurations and folders of their databases. */

const EXPLORER = { advice: 'use --daemon-mode explorer' };
const NO_ROCKSDB = { advice: 'the chain is one SQLite file', needless: true };

/** Options of older versions of the other programs, whose saved configurations hold every one of them. */
export const FORMER: FormerOptions = {
  'enable-blockexplorer': EXPLORER,
  'enable-blockexplorer-detailed': EXPLORER,
  'enable-mining': { advice: 'mining methods are always served', needless: true },
  'db-enable-level-db': NO_ROCKSDB,
  'db-max-file-size': NO_ROCKSDB,
  'db-max-bytes-for-level-base': NO_ROCKSDB,
  rocksdb: NO_ROCKSDB,
  sqlite: NO_ROCKSDB,
};

/** Files that a database of the C++ node has, within its data directory: RocksDB's, LevelDB's. */
const FORMER_DATABASES = [join('DB', 'CURRENT'), join('LevelDB', 'CURRENT')];

/**
 * What is told when the folder of the chain is the C++ node's: a configuration that was taken over names it, and the
 * chain would be fetched anew beside a database that nobody reads.
 * @param directory where our chain lies
 */
export function formerDatabaseWarnings(directory: string): string[] {
  if (!FORMER_DATABASES.some((name) => existsSync(join(directory, name)))) return [];
  return [
    `${directory} holds a database of the C++ node, which is neither read nor changed: give --data-dir a folder of its own ` +
      'and import a dump, or synchronize from peers',
  ];
}
