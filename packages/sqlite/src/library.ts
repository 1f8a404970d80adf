import Database from 'better-sqlite3';

/*
 * The one file that imports better-sqlite3. Everybody else takes the constructor and the types from here, so that which
 * version of the library a program runs on is decided in one place.
 */

/**
 * An open SQLite file. As a constructor it is the library's own and makes none of this package's settings: programs open
 * their files with `openDatabase`.
 */
export type SqliteConnection = Database.Database;
export const SqliteConnection: typeof Database = Database;

/** A prepared statement with the types of what is bound and of a row. */
export type SqliteStatement<P extends unknown[] = unknown[], R = unknown> = Database.Statement<P, R>;
