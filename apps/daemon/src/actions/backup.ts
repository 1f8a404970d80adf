import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorText, workerEntry } from '@wrkz/service-kit';
import { removeLeftovers } from '@wrkz/sqlite';
import { BlockProgress } from '../progress/progress';
import { freeBytes, megabytes } from '../upkeep/disk-space';
import { runTask } from '../upkeep/task-process';
import { type ActionDependencies, newFile, withReader } from './action';
import { daemonCommand } from './command';

const MIB = 1024 * 1024;

/**
 * `--backup <file>`: copies the database of a data directory, which a running node may use, into one file, and checks the copy
 * before it gets its name. Exit code 1 if it was stopped; no file is left then.
 */
export async function backupAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  const { network, directory } = config;
  const file = newFile(config, 'backup');
  const folder = dirname(file);
  const { pageSize, pages } = await withReader(config, (reader) => reader.fileSpace());
  const [needed, free] = [pages * pageSize, freeBytes(folder)];
  if (free < needed) {
    const text = `${megabytes(needed)}, and only ${megabytes(free)} are free on the disk of ${folder}`;
    throw new Error(`--backup: the file ${file} needs ${text}`);
  }
  notice(`Backing up ${megabytes(needed)} to ${file}`);
  const progress = new BlockProgress({ label: 'Backing up', unit: 'MiB', write: notice, screen });
  const mebibytes = (count: number): number => Math.floor((count * pageSize) / MIB);
  let isChecking = false;
  try {
    const { height, hash } = (await runTask({
      entry: workerEntry(join(__dirname, '../upkeep'), 'backup-process'),
      task: { directory, network: network.name, to: file },
      signal,
      onProgress: (copied, total) => {
        if (copied < total) return progress.update(mebibytes(copied), mebibytes(total));
        if (!isChecking) progress.stop('Everything is copied; the copy is being checked');
        isChecking = true;
      },
    })) as { height: number; hash: string };
    notice(`The backup ${file} is complete: its top is block ${String(height)} (${hash})`);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw new Error(`--backup: ${errorText(error)}`, { cause: error });
    // The child process was killed, so it could not remove its files.
    await removeLeftovers({ file });
    await rm(join(folder, `.${basename(file)}.lock`), { force: true });
    notice('Stopped before the backup was complete; no file was left');
    return 1;
  } finally {
    progress.stop();
  }
}

/** `wrkz-daemon adopt <file>`. */
export const adoptCommand = daemonCommand({
  name: 'adopt',
  help: 'Take over a copied chain database: check every page, then give the database a new id.',
  arguments: [{ name: 'file', help: 'The database, as <data directory>/chain.sqlite; no program may use it' }],
  options: [],
  run: async (_values, [path = ''], { write, signal }) => {
    const file = resolve(path);
    await runTask({ entry: workerEntry(__dirname, 'adopt-process'), task: { file }, signal });
    write(`${file} is sound and was adopted: the daemon can use it now.`);
    return 0;
  },
});
