import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChainDb, type ChainDb, type OpenOptions } from '../../src';

const made: string[] = [];
const opened: ChainDb[] = [];

/** A new empty folder. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'chain-db-'));
  made.push(directory);
  return directory;
}

/** Opens a devnet database, by default in a new folder; {@link cleanUp} closes it. */
export function openHere(options: Partial<OpenOptions> = {}): ChainDb {
  const db = openChainDb({ directory: options.directory ?? freshDirectory(), network: 'devnet', ...options });
  opened.push(db);
  return db;
}

/** The writer of a database that was opened for writing. */
export function writerOf(db: ChainDb) {
  if (db.writer === undefined) throw new Error('opened for reading');
  return db.writer;
}

/** For `afterEach`: closes all databases and removes the folders. */
export function cleanUp(): void {
  for (const db of opened.splice(0)) db.close();
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}
