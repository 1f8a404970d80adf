import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isPlaceOfChain, openChainDb } from '@wrkz/chain-db';
import { workerEntry } from '@wrkz/service-kit';
import { removeLeftovers } from '@wrkz/sqlite';
import { BlockProgress } from '../progress/progress';
import { freeBytes, megabytes } from '../upkeep/disk-space';
import { runTask } from '../upkeep/task-process';
import type { ActionParts } from './action';

const MIB = 1024 * 1024;

/**
 * `--backup <file>`: copies the database of a data directory, which a running node may be using, into a file of its own, checks
 * it and only then gives it its name. Exit code 1 when it was stopped early; then nothing of it is left.
 */
export async function backupAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, options, directory } = config;
  const to = resolve(options.backup ?? '');
  const folder = dirname(to);
  if (existsSync(to)) throw new Error(`the file ${to} exists already, and a backup is not written over it`);
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  if (isPlaceOfChain(directory, to)) throw new Error(`${to} is a name of the database itself; choose another one`);
  const { pageSize, pages } = fileSpace(directory, network.name);
  const [needs, free] = [pages * pageSize, freeBytes(folder)];
  if (free < needs) {
    throw new Error(
      `a backup takes ${megabytes(needs)}, and only ${megabytes(free)} are free on the disk of ${folder}`,
    );
  }
  notice(`Backing up ${megabytes(needs)} to ${to}`);
  const progress = new BlockProgress({ label: 'Backing up', unit: 'MiB', write: notice, stream });
  let checking = false;
  try {
    const made = (await runTask({
      entry: workerEntry(join(__dirname, '../upkeep'), 'backup-process'),
      task: { directory, network: network.name, to },
      signal,
      onProgress: (copied, total) => {
        const [done, all] = [copied, total].map((count) => Math.floor((count * pageSize) / MIB));
        if (copied < total) return progress.update(done ?? 0, all ?? 0);
        if (!checking) progress.stop('Everything is copied; the copy is being checked');
        checking = true;
      },
    })) as { height: number; hash: string };
    notice(`The backup ${to} is whole: its top is block ${String(made.height)} (${made.hash})`);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    await removeLeftovers({ file: to });
    await rm(join(folder, `.${basename(to)}.lock`), { force: true });
    notice('Stopped before the backup was whole; nothing of it was left');
    return 1;
  } finally {
    progress.stop();
  }
}

function fileSpace(directory: string, network: Parameters<typeof openChainDb>[0]['network']) {
  const db = openChainDb({ directory, network, readonly: true });
  try {
    return db.reader.fileSpace();
  } finally {
    db.close();
  }
}
