import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type FloorHeights, logBytes } from '@wrkz/chain-db';
import { errorCode } from '@wrkz/service-kit';
import { isPruned, type StorageFacts } from '../../rpc';
import { type ExportResult, HeightRequired, type RunningExport, SnapshotExportRefused } from '../../snapshot/exporter';
import type { Compaction } from '../../upkeep/compaction';
import { freeBytes } from '../../upkeep/disk-space';
import type { ScrubStatus } from '../../upkeep/scrub';
import type { ConsoleCommand } from '../command';
import { labelLines, sizeText } from '../format';

export const save: ConsoleCommand = {
  name: 'save',
  help: 'Force-save blockchain state to disk',
  // Blocks are on disk before their commit is published, so only the state of the peers has to be saved.
  run: async ({ peers }) => {
    await peers.save();
    return 'Core state saved.\n';
  },
};

export const dbStatus: ConsoleCommand = {
  name: 'db_status',
  help: 'Show on-disk DB status for the active DB engine',
  run: async ({ directory, rpc, compaction, scrub }) => {
    const { pageSize, emptyPages } = rpc.reader.fileSpace();
    const { running } = compaction;
    const { bytes, files, directories, extensions } = await measure(directory);
    const floors = rpc.reader.floors();
    return (
      labelLines([
        ['DB Engine', 'SQLite'],
        ['Compression Enabled', 'No'],
        ['Compression Mode', 'Disabled'],
        ['DB Path', directory],
        ['DB Size', sizeText(bytes)],
        ['Free Pages', `${emptyPages} (${sizeText(emptyPages * pageSize)})`],
        ['Log Size', sizeText(logBytes(directory))],
        ['Disk Free', sizeText(freeBytes(directory))],
        ['Compaction', running === undefined ? 'idle' : `running (${running.seconds}s)`],
        ['Scrub', scrubText(scrub.status)],
        ['Writing', rpc.paused?.() ?? 'Yes'],
        ['Files', files],
        ['Directories', directories],
        ['Block Bodies', bodiesText(floors, rpc.storage)],
      ]) +
      'File type counts:\n' +
      labelLines([...extensions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [`  ${name}`, count]))
    );
  },
};

function scrubText(status: ScrubStatus | undefined): string {
  if (status === undefined) return 'off';
  const damaged = [...status.damaged.values()];
  const found = damaged.length === 0 ? 'no damage' : `damaged: ${damaged.slice(0, 20).join(', ')}`;
  return `${found}, ${status.passes} passes since the start`;
}

function bodiesText(floors: FloorHeights, storage: StorageFacts): string {
  const { bodies, lite } = floors;
  if (lite !== undefined) return `from height ${lite} up (lite, permanent)`;
  if (!isPruned(floors, storage)) return 'every block (full)';
  return storage.prune ? `the most recent ${storage.pruneDepth} blocks (pruned)` : `from height ${bodies} up (pruned)`;
}

interface Measure {
  bytes: number;
  files: number;
  directories: number;
  readonly extensions: Map<string, number>;
}

/** Counts files and bytes of a folder. Skips files deleted meanwhile, and folders of other users such as `lost+found`. */
async function measure(
  folder: string,
  into: Measure = { bytes: 0, files: 0, directories: 0, extensions: new Map() },
): Promise<Measure> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      into.directories += 1;
      await measure(path, into).catch(ifUnavailable);
    } else if (entry.isFile()) {
      const extension = extname(entry.name) || '<none>';
      into.files += 1;
      into.bytes += (await stat(path).catch(ifUnavailable))?.size ?? 0;
      into.extensions.set(extension, (into.extensions.get(extension) ?? 0) + 1);
    }
  }
  return into;
}

function ifUnavailable(error: unknown): undefined {
  if (!['ENOENT', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
  return undefined;
}

const HINT = 'Use `compact_db status` or `compact_db wait`.\n';

export const compactDb: ConsoleCommand = {
  name: 'compact_db',
  help: 'Manage DB compaction: compact_db [start|status|wait|force]',
  words: ['start', 'status', 'wait', 'force'],
  run: ({ compaction }, [action = 'start']) => {
    if (action === 'status') return compactionText(compaction);
    if (action === 'wait') return wait(compaction);
    if (action === 'start' || action === 'force') return start(compaction, action === 'force');
    return 'Usage: compact_db [start|status|wait|force] (force is accepted and does the same as start)\n';
  },
};

function start(compaction: Compaction, forced: boolean): string {
  return compaction.start('manual console request', forced)
    ? `DB compaction started in background. ${HINT}`
    : `DB compaction is already running. ${HINT}`;
}

function compactionText({ running, counts, failure }: Compaction): string {
  if (running !== undefined) {
    const { run, seconds } = running;
    return (
      `DB compaction status: running (${seconds}s elapsed)\nStarted by: ${run.cause}${run.forced ? ' (force)' : ''}\n` +
      `Free pages returned: ${run.freedPages}\n`
    );
  }
  const result = failure === undefined ? 'completed successfully' : `failed - ${failure}`;
  const hasEnded = counts.completed + counts.failed > 0;
  return `DB compaction status: idle\n${hasEnded ? `Last result: ${result}\n` : ''}`;
}

async function wait(compaction: Compaction): Promise<string> {
  if (!compaction.isRunning) return 'No DB compaction is running.\n';
  await compaction.wait();
  return 'Waiting for DB compaction to complete...\nDB compaction completed.\n';
}

const USAGE = 'Usage: snapshot_export [start [height] [path] | status | cancel]\n';

/** Exports lite node snapshots in the background (docs/operations/snapshots.md). */
export const snapshotExport: ConsoleCommand = {
  name: 'snapshot_export',
  help: 'Export a lite node snapshot: snapshot_export [start [height] [path] | status | cancel]',
  words: ['start', 'status', 'cancel'],
  run: ({ snapshots }, [action = 'start', ...words]) => {
    if (action === 'status') return exportText(snapshots.running, snapshots.result);
    if (action === 'cancel') {
      return snapshots.cancel()
        ? 'Cancelling the snapshot export. The partial file will be removed.\n'
        : 'No snapshot export is running.\n';
    }
    const request = action === 'start' ? startWords(words) : undefined;
    if (request === undefined) return USAGE;
    try {
      const { liteHeight, path } = snapshots.start(request.height, request.path);
      return (
        `Exporting a lite node snapshot at height ${String(liteHeight)} to ${path}\n` +
        'This walks the whole database and takes tens of minutes. Follow it with `snapshot_export status`.\n'
      );
    } catch (error) {
      if (error instanceof HeightRequired) return `${error.message}\n${USAGE}`;
      if (error instanceof SnapshotExportRefused) return `${error.message}\n`;
      throw error;
    }
  },
};

/** Parses the arguments of `start`: a number is the height, another word the path. Undefined if there are more words. */
function startWords(words: readonly string[]): { height?: number; path?: string } | undefined {
  const request: { height?: number; path?: string } = {};
  for (const word of words) {
    if (/^[1-9]\d{0,9}$/.test(word) && request.height === undefined) request.height = Number(word);
    else if (request.path === undefined) request.path = word;
    else return undefined;
  }
  return request;
}

function exportText(running: RunningExport | undefined, result: ExportResult | undefined): string {
  if (running !== undefined) {
    const { elapsed, path, progress } = running;
    const seconds = Math.floor(elapsed / 1000);
    return (
      `Snapshot export: running (${String(seconds)}s elapsed)\nWriting: ${path}\n` +
      `Table: ${progress?.table ?? 'block info'}\n` +
      `Records: ${String(progress?.written ?? 0)} kept of ${String(progress?.scanned ?? 0)} scanned\n`
    );
  }
  if (result === undefined) return 'Snapshot export: idle\n';
  if ('failed' in result) return `Snapshot export: idle\nLast result: failed - ${result.failed}\n`;
  return (
    `Snapshot export: idle\nLast result: wrote ${result.path}\nLite height: ${String(result.liteHeight)}\n` +
    `Records: ${String(result.records)}\nDigest: ${result.digest}\n`
  );
}
