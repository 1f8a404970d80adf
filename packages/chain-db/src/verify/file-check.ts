import type { SqliteConnection } from '@wrkz/sqlite';
import { headerProblems } from './file-header';
import type { Problems } from './problems';

/** Looks at the header of the database's file, field by field. */
export function checkHeader(connection: SqliteConnection, file: string, problems: Problems): void {
  const root = connection.prepare<[], [number]>('SELECT max(rootpage) FROM sqlite_schema').raw(true).get()?.[0];
  for (const line of headerProblems(file, root)) problems.add('header of the file', line);
}
