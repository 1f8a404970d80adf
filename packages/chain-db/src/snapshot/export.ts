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
import { errorCode, EventLoopYielder, syncFolder } from '@wrkz/service-kit/base';
import type { ChainReader } from '../reader/reader';
import { SnapshotRefused } from './errors';
import { exportedBlocks, exportedImages, exportedOutputs } from './export-records';
import { FrameWriter } from './frame-writer';
import type { SnapshotHeader } from './header';
import { RecordEncoder, type SnapshotBlock, type SnapshotImage, type SnapshotOutput } from './records';
import { loadZstd } from './zstd';

/** What is being written, and how far it is. */
export interface ExportProgress {
  readonly table: 'block info' | 'spent key images' | 'key output info';
  /** Records written, and looked at: key images are sorted before the first is written. */
  readonly kept: number;
  readonly scanned: number;
}

export interface SnapshotExportOptions {
  readonly reader: ChainReader;
  readonly network: NetworkName;
  readonly liteHeight: number;
  /** The file to make; it must not be there, its folder must. */
  readonly path: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;

/** The folder for what is sorted, and for the file until it is whole, beside the file; six characters follow. */
const workPrefix = (path: string): string => join(dirname(path), `.${basename(path)}.export-`);
const WORK_SUFFIX = /^[A-Za-z0-9]{6}$/;

/** @throws SnapshotRefused when the file would be in the way of what is there */
export function refuseExisting(path: string): never {
  throw new SnapshotRefused(`${path} already exists. Move it aside or name another path.`);
}

/**
 * Writes what a lite node of a height stores below it into a file that appears when it is whole. The blocks below must be out
 * of reach of any reorganisation: they are read bit by bit while the chain goes on.
 *
 * @returns its header
 * @throws SnapshotRefused, MissingRow, what the file system refuses; the signal's reason
 */
export async function exportSnapshot(options: SnapshotExportOptions): Promise<SnapshotHeader> {
  const { path } = options;
  // Also beside a whole file: a kill may have come after it got its name.
  removeRemains(path);
  if (existsSync(path)) refuseExisting(path);
  const zstd = await loadZstd();
  const folder = mkdtempSync(workPrefix(path));
  try {
    const file = join(folder, 'snapshot');
    const fd = openSync(file, 'wx', 0o644);
    let header: SnapshotHeader;
    try {
      header = await new Export(options, new FrameWriter(fd, zstd), folder).run();
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    place(file, path);
    await syncFolder(dirname(path));
    return header;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Under its own name, unless that was taken meanwhile. */
function place(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch (error) {
    // Some file systems have no links; a rename would replace what is there.
    if (errorCode(error) === 'EEXIST' || existsSync(path)) refuseExisting(path);
    renameSync(file, path);
  }
}

/** Removes what exports into this file have left that were killed; other files of such a name are somebody's. */
function removeRemains(path: string): void {
  const prefix = basename(workPrefix(path));
  for (const entry of readdirSync(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isDirectory() || !name.startsWith(prefix) || !WORK_SUFFIX.test(name.slice(prefix.length))) continue;
    rmSync(join(dirname(path), name), { recursive: true, force: true });
  }
}

class Export {
  private readonly encoder = new RecordEncoder();
  private scanned = 0;
  private kept = 0;
  private amounts = 0n;
  private readonly yielder = new EventLoopYielder(SLICE_MS);

  constructor(
    private readonly options: SnapshotExportOptions,
    private readonly writer: FrameWriter,
    private readonly folder: string,
  ) {}

  async run(): Promise<SnapshotHeader> {
    const { reader, liteHeight: end, network } = this.options;
    const { encoder } = this;
    const blockRecords = await this.table<SnapshotBlock>('block info', exportedBlocks(reader, end), (block) =>
      encoder.encodeBlock(block),
    );
    const keyImageRecords = await this.table<SnapshotImage>(
      'spent key images',
      exportedImages(reader, end, this.folder),
      (image) => encoder.encodeImage(image),
    );
    const keyOutputRecords = await this.table<SnapshotOutput>(
      'key output info',
      exportedOutputs(reader, end, () => this.amounts++),
      (output) => encoder.encodeOutput(output),
    );
    return this.writer.finish({
      liteHeight: end,
      genesisHash: networkOf(network).genesis.hash,
      blockRecords,
      keyImageRecords,
      amountRecords: 0n,
      keyOutputRecords,
      transactions: BigInt(reader.facts(end - 1)?.generatedTransactions ?? 0),
      amounts: this.amounts,
    });
  }

  /** @returns how many records the table has */
  private async table<T>(
    name: ExportProgress['table'],
    records: Iterable<T | undefined>,
    encode: (record: T) => ReturnType<RecordEncoder['encodeBlock']>,
  ): Promise<bigint> {
    const before = this.writer.records;
    for (const record of records) {
      this.scanned++;
      if (record !== undefined) {
        this.writer.add(encode(record));
        this.kept++;
      }
      if (this.yielder.isDue) await this.reportProgress(name);
    }
    return this.writer.records - before;
  }

  private async reportProgress(table: ExportProgress['table']): Promise<void> {
    this.options.onProgress?.({ table, kept: this.kept, scanned: this.scanned });
    await this.yielder.yieldIfDue(this.options.signal);
  }
}
