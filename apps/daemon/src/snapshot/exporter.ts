import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ChainReader, databaseFile, type ExportProgress, collidesWithChain } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import { errorText, workerEntry, WorkerThread } from '@wrkz/service-kit/base';
import type { Logger } from '@wrkz/service-kit';
import { sizeText } from '../console/format';
import { freeBytes } from '../upkeep/disk-space';
import type { ExportOrder, ExportReport, ExportThread } from './thread';

export interface ExporterDependencies {
  /** The folder of the database. */
  readonly directory: string;
  readonly network: Network;
  readonly reader: Pick<ChainReader, 'floors' | 'height'>;
  readonly logger: Logger;
}

/** The export was not started. The message is for the operator. */
export class SnapshotExportRefused extends Error {
  override readonly name = 'SnapshotExportRefused';
}

/** The export that is running. */
export interface RunningExport extends ExportOrder {
  /** Milliseconds since the start. */
  readonly elapsed: number;
  readonly progress: ExportProgress | undefined;
}

/** The result of the last export. */
export type ExportResult = (ExportOrder & ExportReport) | { readonly failed: string };

interface Running {
  readonly order: ExportOrder;
  readonly startedAt: number;
  readonly cancel: AbortController;
  progress: ExportProgress | undefined;
  ended: Promise<void>;
}

/** Exports snapshots in a worker thread, one at a time (docs/operations/snapshots.md). */
export class SnapshotExporter {
  private current: Running | undefined;
  private last: ExportResult | undefined;

  constructor(private readonly dependencies: ExporterDependencies) {}

  get running(): RunningExport | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    return { ...current.order, elapsed: performance.now() - current.startedAt, progress: current.progress };
  }

  /** The result of the last export. */
  get result(): ExportResult | undefined {
    return this.last;
  }

  /**
   * Starts an export.
   * @param liteHeight default: the lite height of a lite node
   * @param path a file, or a folder for the default file name; default: the folder above the data directory
   * @throws SnapshotExportRefused
   */
  start(liteHeight: number | undefined, path: string | undefined): ExportOrder {
    if (this.current !== undefined)
      throw new SnapshotExportRefused('A snapshot export is already running. Use `snapshot_export status`.');
    const height = this.heightFor(liteHeight);
    const order = { liteHeight: height, path: this.pathFor(height, path) };
    this.assertSpace(order.path);
    const running: Running = {
      ...{ order, startedAt: performance.now(), cancel: new AbortController(), progress: undefined },
      ended: Promise.resolve(),
    };
    this.current = running;
    this.last = undefined;
    running.ended = this.run(running);
    return order;
  }

  /** @returns whether an export was running */
  cancel(): boolean {
    this.current?.cancel.abort(new Error('it was cancelled'));
    return this.current !== undefined;
  }

  /** Cancels the running export and waits until its files are deleted. */
  async close(): Promise<void> {
    this.current?.cancel.abort(new Error('the daemon was stopped'));
    await this.current?.ended;
  }

  private heightFor(requested: number | undefined): number {
    const { reader, network } = this.dependencies;
    const { lite } = reader.floors();
    const height = requested ?? lite;
    if (height === undefined)
      throw new HeightRequired('This node has no lite height, so a snapshot height has to be given:');
    if (lite !== undefined && height !== lite) {
      throw new SnapshotExportRefused(
        `This is a lite node built at height ${String(lite)}, and it does not hold the block data a snapshot at ` +
          `${String(height)} would need.`,
      );
    }
    const count = reader.height() + 1;
    const minCount = height + network.liteWindow;
    if (count < minCount) {
      throw new SnapshotExportRefused(
        `This node is at height ${String(count)} and a snapshot at ${String(height)} needs it to be at least ` +
          `${String(minCount)}, so the exported region is beyond any reorg.`,
      );
    }
    return height;
  }

  private pathFor(height: number, requested: string | undefined): string {
    const name = `wrkz-lite-base-h${String(height)}-v1.litesnap`;
    const place = resolve(requested ?? dirname(resolve(this.dependencies.directory)));
    const path = existsSync(place) && statSync(place).isDirectory() ? join(place, name) : place;
    if (existsSync(path))
      throw new SnapshotExportRefused(`${path} already exists. Move it aside or name another path.`);
    if (!existsSync(dirname(path))) throw new SnapshotExportRefused(`The folder ${dirname(path)} does not exist.`);
    if (collidesWithChain(this.dependencies.directory, path))
      throw new SnapshotExportRefused(`${path} is a name of the database itself. Name another path.`);
    return path;
  }

  /** @throws SnapshotExportRefused unless a file as large as the database fits on the disk */
  private assertSpace(path: string): void {
    const { size } = statSync(databaseFile(this.dependencies.directory));
    const free = freeBytes(dirname(path));
    if (free >= size) return;
    throw new SnapshotExportRefused(
      `Only ${sizeText(free)} free where the snapshot would go, and the database it comes from is ` +
        `${sizeText(size)}.`,
    );
  }

  private async run(running: Running): Promise<void> {
    const { directory, network, logger } = this.dependencies;
    const thread = new WorkerThread<ExportThread>({
      entry: workerEntry(__dirname, 'thread'),
      setup: { directory, network: network.name },
      onEvent: { progress: (progress) => (running.progress = progress) },
    });
    try {
      await thread.ready;
      const report = await thread.call('export', running.order, { signal: running.cancel.signal });
      this.last = { ...running.order, ...report };
      logger.info(`the snapshot ${running.order.path} is written`, { digest: report.digest });
    } catch (error) {
      this.last = { failed: errorText(error) };
      logger.warning(`the export of a snapshot failed: ${errorText(error)}`);
    } finally {
      await thread.close();
      this.current = undefined;
    }
  }
}

/** No height was given on a node without a lite height. The console prints the usage. */
export class HeightRequired extends SnapshotExportRefused {}
