import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorText, UsageError } from '@wrkz/service-kit';
import { isWalletError, restoreBackup, type Wallet, writeFailure } from '@wrkz/wallet-core';

const MINUTE_MS = 60_000;

interface Dependencies {
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

/** The files of a backup and of a killed backup, after the name of the wallet is removed from the file name. */
const PAIR = /^\.(\d{8}T\d{6}Z)(?:\.db)?$/;
const UNFINISHED = /^(?:\.\d{8}T\d{6}Z\.tmp|\.\.\d{8}T\d{6}Z\.db\.(?:lock|[\da-f]{12}\.tmp(?:-\w+)?))$/;

/**
 * Deletes old backups, and what killed backups left: temporary files, and a container without its database.
 * @param written the newest backup. If the clock was wrong, older backups may have later times
 */
async function deleteOld(directory: string, name: string, keep: number, written: string): Promise<void> {
  const entries = await readdir(directory);
  const stamps = new Set<string>();
  for (const entry of entries) {
    const [, stamp] = PAIR.exec(entry.replace(name, '')) ?? [];
    const isComplete = entries.includes(`${name}.${stamp}`) && entries.includes(`${name}.${stamp}.db`);
    if (stamp !== undefined && stamp !== written && isComplete) stamps.add(stamp);
  }
  const newest = [...stamps].sort().reverse();
  const retained = new Set([written, ...newest.slice(0, keep - 1)]);
  for (const entry of entries) {
    const rest = entry.replace(name, '');
    const [, stamp] = PAIR.exec(rest) ?? [];
    const isOld = stamp !== undefined && !retained.has(stamp);
    if (isOld || UNFINISHED.test(rest)) await rm(join(directory, entry), { force: true });
  }
}

/**
 * Restores a backup as a new wallet file.
 * @param resume how the operator resumes sends
 * @returns a text for the operator
 * @throws UsageError with the names of the files
 */
export async function restoreWallet(backup: string, file: string, resume: string): Promise<string> {
  try {
    await restoreBackup(backup, file);
  } catch (error) {
    throw new UsageError(`restore: ${failureText(error, backup, file)}`);
  }
  return (
    `${backup} was restored as ${file}. Sends and idempotency keys after the backup are missing, so its sends are ` +
    `paused. Check recent payments, then call ${resume}.`
  );
}

function failureText(error: unknown, backup: string, file: string): string {
  if (isWalletError(error, 'walletFileAlreadyExists')) {
    return `${file} or a file beside it already exists. Choose another name.`;
  }
  if (isWalletError(error, 'filenameNonExistent', 'notAWalletFile')) {
    return `cannot read the backup ${backup} with its database ${backup}.db: ${errorText(error)}`;
  }
  return `cannot write ${file}: ${writeFailure(error)}`;
}
