import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BelowFloor, type ChainReader } from '@wrkz/chain-db';
import { encodeRawBlock, type Network } from '@wrkz/core-types';
import { syncFolder } from '@wrkz/service-kit';
import { MIN_EXPORT_BLOCKS } from '../config/config';
import { dumpRecord, FIRST_DUMP_HEIGHT } from './format';

/** Blocks read in one database snapshot. */
const CHUNK_BLOCKS = 100;

export interface ExportOptions {
  readonly path: string;
  readonly reader: ChainReader;
  readonly network: Network;
  /** Maximum number of blocks; 0 for all. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Counts of blocks. */
  readonly onProgress?: (height: number, total: number) => void;
}

/** The export was refused before anything was written. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

/**
 * Writes the chain into a dump file. The file gets its name when it is complete and synced.
 * @returns the number of blocks
 * @throws ExportRefused if the file exists or the chain is too short or incomplete; the error of the file system
 */
export async function exportDump(options: ExportOptions): Promise<number> {
  const { path, reader, network, limit } = options;
  if (existsSync(path)) throw new ExportRefused(`the dump file ${path} exists already`);
  const { bodies, lite } = reader.floors();
  if (bodies > 0) throw new ExportRefused(new BelowFloor(0, bodies, lite === undefined ? 'pruned' : 'lite').message);
  const count = reader.tip().height + 1;
  if (network.name === 'mainnet' && count < MIN_EXPORT_BLOCKS) {
    throw new ExportRefused(`the chain has ${String(count)} blocks, an export needs ${String(MIN_EXPORT_BLOCKS)}`);
  }
  const end = limit > 0 ? Math.min(count, FIRST_DUMP_HEIGHT + limit) : count;
  const temporary = `${path}.part`;
  const file = await open(temporary, 'w', 0o644);
  try {
    for await (const records of dumpChunks(options, end)) await file.writeFile(records);
    await file.sync();
    await file.close();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
  return Math.max(0, end - FIRST_DUMP_HEIGHT);
}

/** The records of the blocks below `end`, in chunks. @throws Error if the chain is reorganised meanwhile or the signal fires */
async function* dumpChunks({ reader, signal, onProgress }: ExportOptions, end: number): AsyncGenerator<Buffer, void> {
  let previousHash: Buffer | undefined;
  for (let start = FIRST_DUMP_HEIGHT; start < end; start += CHUNK_BLOCKS) {
    if (signal?.aborted === true) throw new Error('the export was stopped');
    // Damaged blocks are not exported: the reader throws CorruptDatabase.
    const { blocks, parentHash, lastHash } = reader.snapshot(() => {
      const blocks = reader.rawBlocks(start, Math.min(start + CHUNK_BLOCKS, end));
      return { blocks, parentHash: reader.hashAt(start - 1), lastHash: reader.hashAt(start + blocks.length - 1) };
    });
    if (previousHash !== undefined && parentHash?.equals(previousHash) !== true) {
      throw new Error('the chain was reorganised while it was exported; start the export again');
    }
    previousHash = lastHash;
    yield Buffer.concat(blocks.map((block, i) => dumpRecord(start + i, encodeRawBlock(block))));
    onProgress?.(start + blocks.length, end);
  }
}
