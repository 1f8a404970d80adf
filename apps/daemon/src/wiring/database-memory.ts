import type { DatabaseMemory } from '@wrkz/chain-db';
import type { DaemonOptions } from '../config/config';

const MIB = 1024 * 1024;
/** Connections that read at the same time, more or less: the threads', the main thread's, the engine's. */
const READERS = 8;

/** What the options of the other programs' database come to in SQLite. */
export function databaseMemory(
  options: Pick<DaemonOptions, 'db-read-buffer-size' | 'db-write-buffer-size'>,
): DatabaseMemory {
  const log = options['db-write-buffer-size'] * MIB;
  return { readerCache: (options['db-read-buffer-size'] * MIB) / READERS, walLimit: log, checkpointAt: log / 2 };
}
