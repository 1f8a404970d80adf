import { SqliteConnection } from '../../src';

/** The content of a file as text, read without `openDatabase`: header fields, schema and all rows. */
export function contents(file: string): string[] {
  return looking(file, (connection) => {
    const tables = connection
      .prepare<[], [string, string]>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> 'database_identity' ORDER BY name",
      )
      .raw(true)
      .all();
    const marks = ['application_id', 'user_version'].map((mark) => `${mark} ${Number(pragma(connection, mark))}`);
    const rows = tables.map(
      ([name, sql]) => `${sql} ${JSON.stringify(connection.prepare(`SELECT * FROM ${name}`).all())}`,
    );
    return [...marks, ...rows];
  });
}

export function looking<T>(file: string, look: (connection: SqliteConnection) => T): T {
  const connection = new SqliteConnection(file, { fileMustExist: true });
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

export function pragma(connection: SqliteConnection, name: string): unknown {
  return connection.pragma(name, { simple: true });
}
