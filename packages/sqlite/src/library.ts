import type Library from 'better-sqlite3';

/**
 * better-sqlite3, in the version that this Node.js can run. 13 needs Node-API 10 (Node.js 22.14 and newer) and ends the
 * process where that is missing, while 12 loses its footing on 24; so only the fitting one is installed, and loaded.
 * `.pnpmfile.cjs` at the top draws the same line when dependencies are installed.
 */
const NODE_API_OF_13 = 10;

/* eslint-disable @typescript-eslint/no-require-imports -- an import would load both */
const library = (
  Number(process.versions['napi']) >= NODE_API_OF_13 ? require('better-sqlite3-13') : require('better-sqlite3-12')
) as typeof Library;
/* eslint-enable @typescript-eslint/no-require-imports */

/** The library's class: `new Database(file, options)`. */
export const Database: typeof Library = library;
export type Database = Library.Database;

/** What SQLite refuses, with its extended code in `code`. */
export const SqliteError = library.SqliteError;
export type SqliteError = InstanceType<typeof Library.SqliteError>;

/** A prepared statement; `Bound` are its parameters in order, `Row` what it answers. */
export type Statement<Bound extends unknown[] = unknown[], Row = unknown> = Library.Statement<Bound, Row>;
