import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FloorHeights } from '@wrkz/chain-db';
import { logBytes } from '@wrkz/chain-db';
import { errorCode } from '@wrkz/service-kit';
import { isPruned, type StorageFacts } from '../../rpc';
import { freeBytes } from '../../upkeep/disk-space';
import type { ScrubStatus } from '../../upkeep/scrub';
import type { ConsoleCommand } from '../command';
import { sizeText } from '../text/format';
import { labelLines } from '../text/tables';

export const save: ConsoleCommand = {
  name: 'save',
  help: 'Force-save blockchain state to disk',
  // Every block is on the disk when its commit is told of; what is written from time to time is the state of the peers.
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

/** Files come and go while it looks: what is gone counts for nothing. */
async function measure(folder: string, into: Measure = emptyMeasure()): Promise<Measure> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      into.directories += 1;
      await measure(path, into).catch(orGone);
    } else if (entry.isFile()) {
      const extension = extname(entry.name) || '<none>';
      into.files += 1;
      into.bytes += (await stat(path).catch(orGone))?.size ?? 0;
      into.extensions.set(extension, (into.extensions.get(extension) ?? 0) + 1);
    }
  }
  return into;
}

function emptyMeasure(): Measure {
  return { bytes: 0, files: 0, directories: 0, extensions: new Map() };
}

function orGone(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
  return undefined;
}
