import type { SqliteConnection } from '@wrkz/sqlite';
import { headerProblems } from './file-header';
import type { Problems } from './problems';

/** Lines of SQLite's own check that are kept. */
const LINES = 20;

/**
 * What belongs to no table: the header of the file, the list of empty pages, and the map by which pages are moved when the file
 * is made smaller. SQLite looks at all pages for that, in one go, so it is done only where nothing else was found.
 */
export function checkFile(connection: SqliteConnection, file: string, problems: Problems): void {
  const root = connection.prepare<[], [number]>('SELECT max(rootpage) FROM sqlite_schema').raw(true).get()?.[0];
  for (const line of headerProblems(file, root)) problems.add('header of the file', line);
  if (problems.count > 0) return;
  for (const [line] of connection.prepare<[], [string]>(`PRAGMA quick_check(${LINES})`).raw(true).all()) {
    if (line !== 'ok') problems.add('pages of the file', line);
  }
}
