import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import { errorCode, errorText, EventLoopYielder, syncFolder } from '@wrkz/service-kit/base';
import { SnapshotRefused } from '../errors';
import type { ChainReader } from '../reader/reader';
import { Buckets } from './files';
import { FrameWriter } from './frames';
import type { SnapshotHeader } from './header';
import { encodeRecord, littleEndianOrder, type SnapshotOutput, type SnapshotRecord, sortLittleEndian } from './records';
import { loadZstd } from './zstd';

export interface ExportProgress {
  readonly table: 'block info' | 'spent key images' | 'key output info';
  /** Records written. */
  readonly written: number;
  /** Processed records: key images are sorted before the first one is written. */
  readonly scanned: number;
}

export interface SnapshotExportOptions {
  readonly reader: ChainReader;
  readonly network: NetworkName;
  readonly liteHeight: number;
  /** The new file; its folder must exist. */
  readonly path: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;
const BLOCKS_PER_READ = 200;
const OUTPUTS_PER_READ = 500;
/** Max outputs of one amount in memory. Further ones are read one by one. */
const MAX_HELD_OUTPUTS = 1_000_000;
const IMAGE_BYTES = 32 + 4;
const IMAGE_BUCKETS = 256;

/** The temporary folder beside the file, for sorting and for the file until it is complete; `mkdtemp` appends six characters. */
const workPrefix = (path: string): string => join(dirname(path), `.${basename(path)}.export-`);
const WORK_SUFFIX = /^[A-Za-z0-9]{6}$/;

/**
 * Writes the data that a lite node of a height stores below the height into a new file. The file gets its name when it is
 * complete and synced. No reorganisation may reach the blocks below the height: they are read in many transactions while the
 * chain grows.
 *
 * @returns the header of the snapshot
 * @throws SnapshotRefused if the file exists or cannot be written; MissingRow; the signal's reason
 */
export async function exportSnapshot(options: SnapshotExportOptions): Promise<SnapshotHeader> {
  const { path } = options;
  // Also if the file exists: the process may have been killed directly after the rename.
  removeRemains(path);
  if (existsSync(path)) throw alreadyExists(path);
  const zstd = await loadZstd();
  let folder: string | undefined;
  try {
    folder = mkdtempSync(workPrefix(path));
    const file = join(folder, 'snapshot');
    const fd = openSync(file, 'wx', 0o644);
    let header: SnapshotHeader;
    try {
      header = await writeRecords(options, new FrameWriter(fd, zstd), folder);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    publish(file, path);
    await syncFolder(dirname(path));
    return header;
  } catch (error) {
    // Add file and remedy to system errors such as a full disk.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const hint = errorCode(error) === 'ENOSPC' ? '. Free some space or name a path on another disk' : '';
    throw new SnapshotRefused(`the snapshot ${path} cannot be written: ${errorText(error)}${hint}`, { cause: error });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function alreadyExists(path: string): SnapshotRefused {
  return new SnapshotRefused(`${path} already exists. Move it aside or name another path.`);
}

/** Gives the file its final name, unless another file has taken the name meanwhile. */
function publish(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch (error) {
    // A rename would replace an existing file, so it is for file systems without hard links only.
    if (errorCode(error) === 'EEXIST' || existsSync(path)) throw alreadyExists(path);
    renameSync(file, path);
  }
}

/** Removes the temporary folders that killed exports to this file have left. */
function removeRemains(path: string): void {
  const prefix = basename(workPrefix(path));
  for (const entry of readdirSync(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isDirectory() || !name.startsWith(prefix) || !WORK_SUFFIX.test(name.slice(prefix.length))) continue;
    rmSync(join(dirname(path), name), { recursive: true, force: true });
  }
}

const TABLES = { block: 'block info', image: 'spent key images', output: 'key output info' } as const;
type Table = keyof typeof TABLES;

async function writeRecords(
  { reader, network, liteHeight, signal, onProgress }: SnapshotExportOptions,
  writer: FrameWriter,
  folder: string,
): Promise<SnapshotHeader> {
  const counts = { block: 0, image: 0, output: 0 };
  const amounts = { count: 0, last: undefined as bigint | undefined };
  const yielder = new EventLoopYielder(SLICE_MS);
  let scanned = 0;
  for (const step of records(reader, liteHeight, folder)) {
    scanned++;
    const table = typeof step === 'string' ? step : step.table;
    if (typeof step !== 'string') {
      writer.add(encodeRecord(step));
      counts[step.table]++;
      if (step.table === 'output' && step.output.amount !== amounts.last) {
        amounts.last = step.output.amount;
        amounts.count++;
      }
    }
    if (!yielder.isDue) continue;
    onProgress?.({ table: TABLES[table], written: counts.block + counts.image + counts.output, scanned });
    await yielder.yieldIfDue(signal);
  }
  return writer.finish({
    liteHeight,
    genesisHash: networkOf(network).genesis.hash,
    blockRecords: BigInt(counts.block),
    keyImageRecords: BigInt(counts.image),
    amountRecords: 0n,
    keyOutputRecords: BigInt(counts.output),
    transactions: BigInt(reader.facts(liteHeight - 1)?.generatedTransactions ?? 0),
    amounts: BigInt(amounts.count),
  });
}

/** All records below a height, in key order. Table names are yielded too: steps without a record, for the progress report. */
function* records(reader: ChainReader, end: number, folder: string): Generator<SnapshotRecord | Table, void> {
  yield* blockRecords(reader, end);
  yield* imageRecords(reader, end, folder);
  yield* outputRecords(reader, end);
}

function* blockRecords(reader: ChainReader, end: number): Generator<SnapshotRecord, void> {
  for (const height of littleEndianOrder(end)) {
    const facts = reader.facts(height);
    if (facts === undefined) throw new RangeError(`no block ${height}`);
    const { hash, size, cumulativeDifficulty, generatedCoins } = facts;
    const timestamp = BigInt(facts.timestamp);
    const generatedTransactions = BigInt(facts.generatedTransactions);
    const block = { height, hash, timestamp, size, cumulativeDifficulty, generatedCoins, generatedTransactions };
    yield { table: 'block', block };
  }
}

/** The database has key images in chain order, so they are sorted in temporary files. */
function* imageRecords(reader: ChainReader, end: number, folder: string): Generator<SnapshotRecord | 'image', void> {
  const buckets = new Buckets(folder, IMAGE_BUCKETS, IMAGE_BYTES);
  try {
    const bytes = Buffer.alloc(IMAGE_BYTES);
    for (let start = 0; start < end; start += BLOCKS_PER_READ) {
      for (const { image, height } of reader.keyImagesBetween(start, Math.min(start + BLOCKS_PER_READ, end))) {
        image.copy(bytes);
        bytes.writeUInt32BE(height, 32);
        buckets.put(image[0] as number, bytes);
      }
      yield 'image';
    }
    for (const sorted of buckets.sorted()) {
      for (const image of sorted) {
        yield { table: 'image', image: { image: image.subarray(0, 32), height: image.readUInt32BE(32) } };
      }
    }
  } finally {
    buckets.close();
  }
}

function* outputRecords(reader: ChainReader, end: number): Generator<SnapshotRecord | 'output', void> {
  for (const amount of sortLittleEndian(reader.amounts())) {
    const count = reader.outputCount(amount, end - 1);
    const held: Omit<SnapshotOutput, 'amount' | 'index'>[] = [];
    for (const limit = Math.min(count, MAX_HELD_OUTPUTS); held.length < limit;) {
      held.push(...reader.outputsBetween(amount, held.length, Math.min(held.length + OUTPUTS_PER_READ, limit)));
      yield 'output';
    }
    for (const index of littleEndianOrder(count)) {
      const output = held[index] ?? reader.output(amount, index);
      if (output === undefined) throw new RangeError(`no output ${index} of ${amount}`);
      yield { table: 'output', output: { amount, index, ...output } };
    }
  }
}
