import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ChainReader, databaseFile, type ExportProgress, isPlaceOfChain } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import { errorText, workerEntry, WorkerThread } from '@wrkz/service-kit/base';
import type { Logger } from '@wrkz/service-kit';
import { sizeText } from '../console/text/format';
import type { ExportOrder, ExportReport, ExportThread } from './protocol';

export interface ExporterParts {
  /** The folder of the database. */
  readonly directory: string;
  readonly network: Network;
  readonly reader: Pick<ChainReader, 'floors' | 'height'>;
  readonly logger: Logger;
}

/** Why an export does not begin; for the operator. */
export class SnapshotExportRefused extends Error {
  override readonly name = 'SnapshotExportRefused';
}

/** An export that goes on. */
export interface RunningExport extends ExportOrder {
  /** Milliseconds since it began. */
  readonly elapsed: number;
  readonly progress: ExportProgress | undefined;
}

/** How the last export ended. */
export type ExportResult = (ExportOrder & ExportReport) | { readonly failed: string };

interface Running {
  readonly order: ExportOrder;
  readonly began: number;
  readonly cancel: AbortController;
  progress: ExportProgress | undefined;
  ended: Promise<void>;
}

/** Exports a snapshot beside everything else, one at a time, in a thread of its own (docs/operations/snapshots.md). */
export class SnapshotExporter {
  private current: Running | undefined;
  private last: ExportResult | undefined;

  constructor(private readonly parts: ExporterParts) {}

  get running(): RunningExport | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    return { ...current.order, elapsed: performance.now() - current.began, progress: current.progress };
  }

  get result(): ExportResult | undefined {
    return this.last;
  }

  /**
   * Begins an export. @param liteHeight undefined: the node's own, where it is a lite one
   * @param path a file, or a folder that gets the usual name; undefined: that name beside the data
   * @throws SnapshotExportRefused
   */
  async start(liteHeight: number | undefined, path: string | undefined): Promise<ExportOrder> {
    this.assertIdle();
    const height = this.heightFor(liteHeight);
    const order = { liteHeight: height, path: this.pathFor(height, path) };
    await this.assertRoom(order.path);
    this.assertIdle();
    const running: Running = {
      ...{ order, began: performance.now(), cancel: new AbortController(), progress: undefined },
      ended: Promise.resolve(),
    };
    this.current = running;
    this.last = undefined;
    running.ended = this.run(running);
    return order;
  }

  /** @returns whether there was one */
  cancel(): boolean {
    this.current?.cancel.abort(new Error('it was cancelled'));
    return this.current !== undefined;
  }

  /** Cancels what is under way and waits until its file is gone. */
  async close(): Promise<void> {
    this.current?.cancel.abort(new Error('the daemon was stopped'));
    await this.current?.ended;
  }

  private assertIdle(): void {
    if (this.current !== undefined) {
      throw new SnapshotExportRefused('A snapshot export is already running. Use `snapshot_export status`.');
    }
  }

  private heightFor(asked: number | undefined): number {
    const { reader, network } = this.parts;
    const { lite } = reader.floors();
    const height = asked ?? lite;
    if (height === undefined) throw new NoHeight('This node has no lite height, so a snapshot height has to be given:');
    if (lite !== undefined && height !== lite) {
      throw new SnapshotExportRefused(
        `This is a lite node built at height ${String(lite)}, and it does not hold the block data a snapshot at ` +
          `${String(height)} would need.`,
      );
    }
    const count = reader.height() + 1;
    const least = height + network.liteWindow;
    if (count < least) {
      throw new SnapshotExportRefused(
        `This node is at height ${String(count)} and a snapshot at ${String(height)} needs it to be at least ` +
          `${String(least)}, so the exported region is beyond any reorg.`,
      );
    }
    return height;
  }

  private pathFor(height: number, asked: string | undefined): string {
    const name = `wrkz-lite-base-h${String(height)}-v1.litesnap`;
    const place = resolve(asked ?? dirname(resolve(this.parts.directory)));
    const path = existsSync(place) && statSync(place).isDirectory() ? join(place, name) : place;
    if (existsSync(path))
      throw new SnapshotExportRefused(`${path} already exists. Move it aside or name another path.`);
    if (!existsSync(dirname(path))) throw new SnapshotExportRefused(`The folder ${dirname(path)} does not exist.`);
    if (isPlaceOfChain(this.parts.directory, path))
      throw new SnapshotExportRefused(`${path} is a name of the database itself. Name another path.`);
    return path;
  }

  /** @throws SnapshotExportRefused when a file as large as the database would not fit */
  private async assertRoom(path: string): Promise<void> {
    const { size } = statSync(databaseFile(this.parts.directory));
    const { bavail, bsize } = await statfs(dirname(path)).catch(() => ({ bavail: Infinity, bsize: 1 }));
    if (bavail * bsize >= size) return;
    throw new SnapshotExportRefused(
      `Only ${sizeText(bavail * bsize)} free where the snapshot would go, and the database it comes from is ` +
        `${sizeText(size)}.`,
    );
  }

  private async run(running: Running): Promise<void> {
    const { directory, network, logger } = this.parts;
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

/** Not a failure: how to ask is told instead. */
export class NoHeight extends SnapshotExportRefused {}
