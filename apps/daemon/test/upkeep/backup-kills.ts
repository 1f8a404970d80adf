import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteConnection } from '@wrkz/sqlite';
import { DaemonProcess } from '../support/process';

/**
 * Kills backups these milliseconds after their start; a file with the final name must be complete. The last backup ends,
 * and its file is the only one in the folder. @returns the file
 */
export async function killBackups(dataDir: string, folder: string, moments: readonly number[]): Promise<string> {
  const to = join(folder, 'backup.sqlite');
  const start = (): DaemonProcess =>
    new DaemonProcess(['--network', 'devnet', '--data-dir', dataDir, '--backup', to], folder);
  for (const moment of moments) {
    const child = start();
    await new Promise((go) => setTimeout(go, moment));
    child.kill('SIGKILL');
    await child.ended;
    if (existsSync(to)) {
      checkWhole(to);
      rmSync(to);
    }
  }
  const { code, stdout, stderr } = await retried(start);
  if (code !== 0) throw new Error(`the backup ended with ${String(code)}: ${stdout}${stderr}`);
  const left = readdirSync(folder).filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'));
  if (left.length > 0) throw new Error(`the backup left ${left.join(', ')}`);
  return to;
}

/** The process that did the work for the killed one ends some milliseconds after it, and holds the file till then. */
async function retried(start: () => DaemonProcess) {
  for (let tries = 0; ; tries++) {
    const end = await start().ended;
    if (end.code === 0 || tries === 3) return end;
  }
}

function checkWhole(file: string): void {
  const connection = new SqliteConnection(file, { readonly: true });
  try {
    const result = connection.pragma('integrity_check', { simple: true });
    if (result !== 'ok') throw new Error(`a backup that was killed is not whole: ${String(result)}`);
  } finally {
    connection.close();
  }
}
