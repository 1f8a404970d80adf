import { workerEntry } from '@wrkz/service-kit/base';
import type { SqliteConnection } from '@wrkz/sqlite';
import { spawn } from 'node:child_process';
import { guarded, type Problems } from './problems';

/** From so many bytes on the check of one table may take longer than a signal can wait. */
export const APART_FROM = 256 * 1024 * 1024;

/** In place of a table: what belongs to none, as the list of empty pages and the map by which pages are moved. */
export const WHOLE_FILE = 'pages of the file';

/** Lines of SQLite's check of the whole file that are kept. */
const LINES = 20;

/** What SQLite itself finds wrong with a table's pages and indexes, or with the whole file. */
export function structureOf(connection: SqliteConnection, table: string): string[] {
  return connection
    .prepare<[], [string]>(table === WHOLE_FILE ? `PRAGMA quick_check(${LINES})` : `PRAGMA integrity_check('${table}')`)
    .raw(true)
    .all()
    .map(([line]) => line)
    .filter((line) => line !== 'ok');
}

export interface StructureCheck {
  readonly file: string;
  readonly tables: readonly string[];
  /** Bytes of the database from which on it is done in another process. */
  readonly apartFrom: number;
  readonly signal: AbortSignal | undefined;
}

/** Looks at each table, here or in another process, which is ended with the signal. */
export function* checkStructure(
  connection: SqliteConnection,
  { file, tables, apartFrom, signal }: StructureCheck,
  problems: Problems,
): Generator<void | Promise<void>, void> {
  const bytes = ['page_count', 'page_size'].map((name) => Number(connection.pragma(name, { simple: true })));
  if ((bytes[0] ?? 0) * (bytes[1] ?? 0) >= apartFrom) {
    yield checkApart(file, tables, problems, signal);
    return;
  }
  for (const table of tables) {
    guarded(problems, table, () => {
      for (const line of structureOf(connection, table)) problems.add(table, line);
    });
    yield;
  }
}

async function checkApart(
  file: string,
  tables: readonly string[],
  problems: Problems,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { path, execArgv } = workerEntry(__dirname, 'structure-process');
  const child = spawn(process.execPath, [...execArgv, path, file, ...tables], { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): boolean => child.kill('SIGKILL');
  signal?.addEventListener('abort', end);
  process.once('exit', end);
  let [text, complaint] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (complaint += part));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve).once('error', reject);
    });
    signal?.throwIfAborted();
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const [table, what] = JSON.parse(line) as [string, string];
      problems.add(table, what);
    }
    const last =
      complaint
        .trim()
        .split('\n')
        .find((line) => line.includes('Error')) ?? `exit code ${code}`;
    if (code !== 0) problems.add('pages', `could not be checked by SQLite: ${last}`);
  } finally {
    process.removeListener('exit', end);
    signal?.removeEventListener('abort', end);
  }
}
