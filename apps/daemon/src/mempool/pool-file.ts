import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  atomicWriteFile,
  errorText,
  EventLoopYielder,
  type Logger,
  Mutex,
  removeUnfinishedWrites,
} from '@wrkz/service-kit';
import type { NetworkName } from '@wrkz/core-types';
import { POOL_BYTES, SLICE_MS } from './limits';
import { inGroups, type TransactionPool } from './pool';

/*
 * The pool across restarts. The file: magic, name of the network (16 bytes, padded with zeros), for each transaction its
 * length (uint32, little-endian) and its bytes, SHA-256 of everything before. Best transactions first.
 */

const POOL_FILE = 'mempool.bin';
const MAGIC = Buffer.from('WRKZPOOL1');
const NETWORK_BYTES = 16;
const HEADER_BYTES = MAGIC.length + NETWORK_BYTES;
const CHECKSUM_BYTES = 32;
/** Each transaction has more than 100 bytes, so its length adds less than 4 %. */
const MAX_FILE_BYTES = POOL_BYTES * 1.04 + HEADER_BYTES + CHECKSUM_BYTES;
/** Milliseconds between two writes of a changed pool. */
const SAVE_INTERVAL_MS = 5 * 60_000;
/** Bytes that are hashed between two checks of the time slice. */
const HASH_STEP = 256 * 1024;

export interface PoolFileDependencies {
  /** The data directory. */
  readonly directory: string;
  readonly network: NetworkName;
  readonly pool: Pick<TransactionPool, 'list' | 'revision' | 'add' | 'size'>;
  /** The transactions of each block of the side branches. */
  readonly branches: () => Iterable<readonly Buffer[]>;
  readonly logger: Logger;
}

/** Reads the pool of the last run, and writes the pool every five minutes and at the end. */
export class PoolFile {
  private readonly path: string;
  private readonly mutex = new Mutex();
  private timer: NodeJS.Timeout | undefined;
  /** The revision of the pool in the file. */
  private saved: number | undefined;

  constructor(private readonly dependencies: PoolFileDependencies) {
    this.path = join(dependencies.directory, POOL_FILE);
  }

  /**
   * Validates the transactions of the file and of the side branches like new ones, then starts the periodic writes. Logs a
   * warning for a file that is damaged, too large or of another network.
   */
  async load(signal: AbortSignal): Promise<void> {
    const { pool, logger, branches } = this.dependencies;
    const add = async (bytes: Buffer): Promise<void> => {
      if (!signal.aborted) await pool.add(bytes, 'file');
    };
    try {
      removeUnfinishedWrites(this.path);
      const transactions = await this.read();
      // A full pool takes more than a minute.
      if (transactions.length > 0) logger.info(`validating ${transactions.length} pooled transactions of the last run`);
      await inGroups(transactions, add);
      // Keep the file: it has transactions that were not validated.
      if (signal.aborted) return;
      if (transactions.length > 0)
        logger.info(`${pool.size} of ${transactions.length} pooled transactions are still valid`);
    } catch (error) {
      logger.warning(`the pool of the last run is not used: ${this.path}: ${errorText(error)}`);
    }
    try {
      // After a kill, the file lacks the transactions that a reorganisation had returned to the pool.
      for (const transactions of branches()) {
        await inGroups(transactions, add);
        if (signal.aborted) break;
      }
    } catch (error) {
      logger.warning(`transactions of side branches are not returned to the pool: ${errorText(error)}`);
    }
    this.timer = setInterval(() => void this.save(), SAVE_INTERVAL_MS);
  }

  /** Writes the pool if it has changed. An error is logged as a warning. */
  save(): Promise<void> {
    return this.mutex.run(async () => {
      const { pool, logger } = this.dependencies;
      const { revision } = pool;
      if (revision === this.saved) return;
      try {
        await atomicWriteFile(this.path, await this.encode());
        this.saved = revision;
      } catch (error) {
        logger.warning(`the pool cannot be written to ${this.path}: ${errorText(error)}`);
      }
    });
  }

  /** Stops the periodic writes and writes the pool, unless loading was interrupted. */
  async close(): Promise<void> {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    await this.save();
  }

  private async read(): Promise<Buffer[]> {
    const facts = await stat(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (facts === undefined) return [];
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > MAX_FILE_BYTES) throw new Error(`it has ${facts.size} bytes, more than a pool can have`);
    const bytes = await readFile(this.path);
    const end = bytes.length - CHECKSUM_BYTES;
    if (end < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('it is not a pool file');
    if (!(await sha256(bytes.subarray(0, end))).equals(bytes.subarray(end))) throw new Error('it is damaged');
    if (!bytes.subarray(MAGIC.length, HEADER_BYTES).equals(this.networkBytes()))
      throw new Error('it belongs to another network');
    const transactions: Buffer[] = [];
    for (let at = HEADER_BYTES; at < end;) {
      const start = at + 4;
      at = start <= end ? start + bytes.readUInt32LE(at) : Infinity;
      if (at > end) throw new Error('it is damaged');
      transactions.push(bytes.subarray(start, at));
    }
    return transactions;
  }

  private networkBytes(): Buffer {
    const bytes = Buffer.alloc(NETWORK_BYTES);
    bytes.write(this.dependencies.network);
    return bytes;
  }

  private async encode(): Promise<Buffer> {
    const entries = this.dependencies.pool.list();
    const size = entries.reduce((sum, entry) => sum + 4 + entry.size, HEADER_BYTES + CHECKSUM_BYTES);
    const file = Buffer.alloc(size);
    MAGIC.copy(file);
    this.networkBytes().copy(file, MAGIC.length);
    const yielder = new EventLoopYielder(SLICE_MS);
    let at = HEADER_BYTES;
    for (const { bytes } of entries) {
      at = file.writeUInt32LE(bytes.length, at);
      at += bytes.copy(file, at);
      if (yielder.isDue) await yielder.yieldIfDue();
    }
    (await sha256(file.subarray(0, at))).copy(file, at);
    return file;
  }
}

async function sha256(bytes: Buffer): Promise<Buffer> {
  const hash = createHash('sha256');
  const yielder = new EventLoopYielder(SLICE_MS);
  for (let at = 0; at < bytes.length; at += HASH_STEP) {
    hash.update(bytes.subarray(at, at + HASH_STEP));
    if (yielder.isDue) await yielder.yieldIfDue();
  }
  return hash.digest();
}
