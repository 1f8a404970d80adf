/* eslint-disable-next-line @typescript-eslint/triple-slash-reference -- found by every program that reads this source */
/// <reference path="./node-gyp-build.d.ts" />
import { dirname } from 'node:path';
import type Library from 'better-sqlite3';
import { path as addonIn } from 'node-gyp-build';

/*
 * The only module that loads better-sqlite3, in the version for this Node.js. Version 13 requires Node-API 10 (Node.js 22.14,
 * 23.6 and newer) and ends the process without it. Version 12 is for older releases: on Node.js 24 it aborts when a statement
 * is garbage-collected. Only one version is installed: `.pnpmfile.cjs` at the top has the same condition.
 */
const NODE_API_OF_13 = 10;

/* eslint-disable @typescript-eslint/no-require-imports -- an import would load both */
const library = (
  Number(process.versions['napi']) >= NODE_API_OF_13 ? require('better-sqlite3-13') : require('better-sqlite3-12')
) as typeof Library;
/* eslint-enable @typescript-eslint/no-require-imports */

// Every database that this process opens from now on has page checksums (docs/protocol/storage.md#page-checksums). Each
// thread loads the extension; only the first load in the process has an effect.
const loader = new library(':memory:');
loader.loadExtension(addonIn(dirname(require.resolve('@wrkz/native/package.json'))));
const failure = loader.prepare<[], [string | null]>('SELECT page_checksum_failure()').raw(true);

/** File and number of the last page or frame with a wrong checksum that this thread has read. */
export const lastPageFailure = (): string | undefined => failure.get()?.[0] ?? undefined;

/**
 * An open SQLite file. The constructor of the library applies none of this package's settings: programs open their files with
 * `openDatabase`.
 */
export type SqliteConnection = Library.Database;
export const SqliteConnection: typeof Library = library;

/** A prepared statement with the types of its parameters and rows. */
export type SqliteStatement<P extends unknown[] = unknown[], R = unknown> = Library.Statement<P, R>;
