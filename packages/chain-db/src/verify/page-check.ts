import { workerEntry } from '@wrkz/service-kit/base';
import { firstBadPage, type SqliteConnection } from '@wrkz/sqlite';
import { spawn } from 'node:child_process';
import { damageIn } from '../failures';
import { pageLocation, pageText } from '../block-pages';

/** Min database size for a child process: one statement can take minutes and cannot be interrupted. */
export const CHILD_PROCESS_BYTES = 256 * 1024 * 1024;

/** Max reported lines of SQLite's integrity check. */
const MAX_LINES = 20;

/** The findings of {@link checkPages}, and the number of rows of each table. */
export interface PageReport {
  readonly problems: string[];
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Compares every page of the file with its checksum, then lets SQLite check the structure of the trees and counts the rows of
 * the tables. A damaged page is reported as one problem and ends the check: further findings of SQLite would be
 * consequences.
 */
export function checkPages(connection: SqliteConnection, tables: readonly string[]): PageReport {
  const problems = badPages(connection).map(
    (page) => `${pageText(page, pageLocation(connection, page))} does not fit its checksum`,
  );
  const rows: Record<string, number> = {};
  if (problems.length > 0) return { problems, rows };
  try {
    const check = connection.prepare<[], [string]>(`PRAGMA integrity_check(${MAX_LINES})`).raw(true);
    problems.push(...check.all().flatMap(([line]) => (line === 'ok' ? [] : [`pages of the file: ${line}`])));
    for (const table of tables) {
      rows[table] = connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0] ?? 0;
    }
  } catch (error) {
    const damage = damageIn(error);
    if (damage === undefined) throw error;
    problems.push(damage.reason);
  }
  return { problems, rows };
}

/** The same in a child process, which is killed when `signal` aborts. */
export async function checkPagesInChild(
  file: string,
  tables: readonly string[],
  signal: AbortSignal | undefined,
): Promise<PageReport> {
  const { path, execArgv } = workerEntry(__dirname, 'page-check-process');
  const child = spawn(process.execPath, [...execArgv, path, file, ...tables], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): boolean => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  process.once('exit', kill);
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve).once('error', reject);
    });
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`the check of the pages ended with exit code ${code}: ${errors.trim()}`);
    return JSON.parse(output) as PageReport;
  } finally {
    process.removeListener('exit', kill);
    signal?.removeEventListener('abort', kill);
  }
}

/** The pages of the file with wrong checksums. */
export function badPages(connection: SqliteConnection): number[] {
  const pages: number[] = [];
  for (;;) {
    const bad = firstBadPage(connection, (pages.at(-1) ?? 0) + 1, Number.MAX_SAFE_INTEGER);
    if (bad === undefined) return pages;
    pages.push(bad);
  }
}

export function pageCount(connection: SqliteConnection): number {
  return Number(connection.pragma('page_count', { simple: true }));
}
