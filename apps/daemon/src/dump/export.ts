import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BelowFloor, type ChainReader } from '@wrkz/chain-db';
import { encodeRawBlock, type Network, type RawBlock } from '@wrkz/core-types';
import { errorText, syncFolder } from '@wrkz/service-kit';
import { SMALLEST_EXPORT } from '../config/config';
import { dumpRecord, FIRST_DUMP_HEIGHT } from './format';

/** Blocks read in one snapshot. */
const CHUNK_BLOCKS = 100;

export interface ExportOptions {
  readonly path: string;
  readonly reader: ChainReader;
  readonly network: Network;
  /** The most blocks to write; 0 for all. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (height: number, total: number) => void;
}

/** An export that is refused before anything is written. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

/**
 * Writes the chain into a dump file, which appears under its name only when it is whole.
 * @returns the number of blocks written
 * @throws ExportRefused when the file exists or cannot be made, or the chain is too short; Error when the disk is full
 */
export async function exportDump(options: ExportOptions): Promise<number> {
  const { path, reader, network, limit, signal, onProgress } = options;
  if (existsSync(path)) throw new ExportRefused(`the dump file ${path} exists already`);
  const { bodies, lite } = reader.floors();
  if (bodies > 0) throw new ExportRefused(new BelowFloor(0, bodies, lite === undefined ? 'pruned' : 'lite').message);
  const count = reader.tip().height + 1;
  if (network.name === 'mainnet' && count < SMALLEST_EXPORT) {
    throw new ExportRefused(`the chain has ${String(count)} blocks, an export needs ${String(SMALLEST_EXPORT)}`);
  }
  const end = limit > 0 ? Math.min(count, FIRST_DUMP_HEIGHT + limit) : count;
  const unfinished = `${path}.part`;
  const file = await open(unfinished, 'w', 0o644).catch((error: unknown) => {
    throw new ExportRefused(`the dump file ${path} cannot be written: ${errorText(error)}`);
  });
  let previous: Buffer | undefined;
  try {
    for (let start = FIRST_DUMP_HEIGHT; start < end; start += CHUNK_BLOCKS) {
      if (signal?.aborted === true) throw new Error('the export was stopped');
      const { blocks, below, lastHash } = readChunk(reader, start, Math.min(start + CHUNK_BLOCKS, end));
      if (previous !== undefined && below?.equals(previous) !== true) {
        throw new Error('the chain was reorganised while it was exported; start the export again');
      }
      previous = lastHash;
      const records = blocks.map((block, i) => dumpRecord(start + i, encodeRawBlock(block)));
      await file.writeFile(Buffer.concat(records));
      onProgress?.(start + blocks.length, end);
    }
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
  return Math.max(0, end - FIRST_DUMP_HEIGHT);
}

interface Chunk {
  readonly blocks: readonly RawBlock[];
  /** The hash right below the first block; it must be the last one of the chunk before. */
  readonly below: Buffer | undefined;
  readonly lastHash: Buffer | undefined;
}

/** The blocks of [start, end). What a disk has damaged is not spread: the reader throws DamagedRow. */
function readChunk(reader: ChainReader, start: number, end: number): Chunk {
  return reader.snapshot(() => {
    const blocks = reader.rawBlocks(start, end);
    return { blocks, below: reader.hashAt(start - 1), lastHash: reader.hashAt(start + blocks.length - 1) };
  });
}
