import type { SqliteConnection } from '@wrkz/sqlite';
import { headerProblems } from './file-header';
import type { Problems } from './problems';

/** What is wrong with the header of the file, held against the tables that it has. */
export function checkHeader(connection: SqliteConnection, file: string, problems: Problems): void {
  const root = connection.prepare<[], [number]>('SELECT max(rootpage) FROM sqlite_schema').raw(true).get()?.[0];
  for (const line of headerProblems(file, root)) problems.add('header of the file', line);
}
