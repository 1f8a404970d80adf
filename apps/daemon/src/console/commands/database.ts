import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorCode } from '@wrkz/service-kit';
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
  run: async ({ directory, rpc }) => {
    const { bytes, files, directories, extensions } = await measure(directory);
    const floor = rpc.reader.floors().bodies;
    return (
      labelLines([
        ['DB Engine', 'SQLite'],
        ['Compression Enabled', 'No'],
        ['Compression Mode', 'Disabled'],
        ['DB Path', directory],
        ['DB Size', sizeText(bytes)],
        ['Files', files],
        ['Directories', directories],
        ['Block Bodies', floor === 0 ? 'every block (full)' : `from height ${floor} up`],
      ]) +
      'File type counts:\n' +
      labelLines([...extensions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [`  ${name}`, count]))
    );
  },
};

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
