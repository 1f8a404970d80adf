import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorText } from '@wrkz/service-kit';
import type { Wallet } from '@wrkz/wallet-core';

const MINUTE_MS = 60_000;

interface Dependencies {
  /** The open wallet and its container. */
  readonly current: () => { readonly wallet: Pick<Wallet, 'backup'>; readonly file: string } | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called with the file name of each verified backup. */
  readonly written: (file: string) => void;
  readonly warn: (text: string) => void;
}

interface Options {
  /** 0: no backups. */
  readonly everyMinutes: number;
  /** Number of backups to retain per wallet. Older ones are deleted after a new one was verified. */
  readonly keep: number;
}

/** Backs up the open wallet on a schedule, into `backups/<name>.<UTC time>` beside it. @returns stops the job */
export function startBackupJob(dependencies: Dependencies, { everyMinutes, keep }: Options): () => void {
  if (everyMinutes === 0) return () => undefined;
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await backUp(dependencies, keep);
    } catch (error) {
      dependencies.warn(`the scheduled backup failed: ${errorText(error)}`);
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMinutes * MINUTE_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function backUp({ current, now, written }: Dependencies, keep: number): Promise<void> {
  const open = current();
  if (open === undefined) return;
  const directory = join(dirname(open.file), 'backups');
  const name = basename(open.file);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const stamp = stampOf(now());
  const file = join(directory, `${name}.${stamp}`);
  await open.wallet.backup(file);
  try {
    await deleteOld(directory, name, keep, stamp);
  } finally {
    written(file);
  }
}

/** `20261124T080715Z` */
const stampOf = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');

/** @param written the newest backup. If the clock was wrong, older backups may have later times */
async function deleteOld(directory: string, name: string, keep: number, written: string): Promise<void> {
  const stamps = new Set<string>();
  for (const entry of await readdir(directory)) {
    const [, stamp] = /^\.(\d{8}T\d{6}Z)(?:\.db)?$/.exec(entry.startsWith(name) ? entry.slice(name.length) : '') ?? [];
    if (stamp !== undefined && stamp !== written) stamps.add(stamp);
  }
  for (const stamp of [...stamps]
    .sort()
    .reverse()
    .slice(keep - 1)) {
    for (const suffix of ['', '.db']) await rm(join(directory, `${name}.${stamp}${suffix}`), { force: true });
  }
}
