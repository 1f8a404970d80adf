import { sealPage, SqliteConnection } from '@wrkz/sqlite';
import { closeSync, constants, copyFileSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { makeFolders } from '@wrkz/service-kit/base';
import { join } from 'node:path';
import { databaseFile } from '../connection';
import { damageIn } from '../damage';
import { openChainDb } from '../open';
import { PAGE_SIZE } from '../schema';
import type { NetworkName } from '@wrkz/core-types';
import { HEADER_BYTES, headerProblems, mendedHeader } from '../verify/file-header';
import { repairFolder } from './swap';

type SchemaRow = readonly [type: string, name: string, table: string, root: number, sql: string | null];

/**
 * Opens a damaged database's file for reading, as plain as can be: no setting in it is believed. Where its header or the
 * description of its tables is damaged, a copy is mended first: what must stand there is known, and what comes of a wrong
 * guess fits no checksum. The file itself is not touched.
 */
export function openDamagedFile(directory: string, network: NetworkName): SqliteConnection {
  const file = databaseFile(directory);
  const folder = repairFolder(directory);
  const wanted = freshSchema(join(folder, 'template'), network);
  if (headerProblems(file).length === 0) {
    const direct = openIfDescribed(file, wanted);
    if (direct !== undefined) return direct;
  }
  const copy = databaseFile(join(folder, 'copy'));
  copyDatabase(file, copy, folder);
  writeAtStart(copy, mendedHeader(copy));
  const known = schemaOf(copy);
  const mended = openIfDescribed(copy, wanted);
  if (mended !== undefined) return mended;
  describeAnew(copy, wanted, known);
  return openPlain(copy);
}

/** Takes the mended copy away. */
export function removeCopies(directory: string): void {
  for (const name of ['copy', 'template'])
    rmSync(join(repairFolder(directory), name), { recursive: true, force: true });
}

/** undefined unless every table is described as the program makes it, at a root of its own. */
function openIfDescribed(file: string, wanted: readonly SchemaRow[]): SqliteConnection | undefined {
  const found = schemaOf(file);
  const isSame =
    found?.length === wanted.length &&
    wanted.every(([type, name, table, , sql]) =>
      found.some((row) => row[0] === type && row[1] === name && row[2] === table && row[4] === sql),
    ) &&
    strangers(found, wanted) !== 1;
  return isSame ? openPlain(file) : undefined;
}

/** How many tables have another root than in a new database: one alone among many is a damaged number. */
function strangers(found: readonly SchemaRow[], wanted: readonly SchemaRow[]): number {
  return wanted.filter(([, name, , root]) => found.find((row) => row[1] === name)?.[3] !== root).length;
}

function openPlain(file: string): SqliteConnection {
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  connection.pragma('mmap_size = 0');
  connection.pragma('cell_size_check = 1');
  connection.pragma('query_only = 1');
  return connection;
}

function schemaOf(file: string): SchemaRow[] | undefined {
  let connection: SqliteConnection | undefined;
  try {
    connection = openPlain(file);
    return connection
      .prepare<[], SchemaRow>('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY name')
      .raw(true)
      .all();
  } catch (error) {
    if (damageIn(error) === undefined && !/malformed|not a database|unsupported/i.test(String(error))) throw error;
    return undefined;
  } finally {
    connection?.close();
  }
}

/** The description of the tables in a new database. */
function freshSchema(folder: string, network: NetworkName): SchemaRow[] {
  rmSync(folder, { recursive: true, force: true });
  openChainDb({ directory: folder, network }).close();
  const rows = schemaOf(databaseFile(folder)) ?? [];
  rmSync(folder, { recursive: true, force: true });
  return rows;
}

/** Puts an empty first page in place of the damaged one and writes the description of the tables anew. */
function describeAnew(file: string, wanted: readonly SchemaRow[], known: readonly SchemaRow[] | undefined): void {
  const page = Buffer.alloc(PAGE_SIZE);
  mendedHeader(file).copy(page);
  page.writeUInt8(0x0d, HEADER_BYTES); // a leaf without cells, whose content starts at the checksum at the end of the page
  page.writeUInt16BE(PAGE_SIZE - 8, HEADER_BYTES + 5);
  writeAtStart(file, page);
  const believed = known !== undefined && strangers(known, wanted) > 1 ? known : [];
  const connection = new SqliteConnection(file);
  try {
    connection.unsafeMode(true);
    connection.pragma('writable_schema = ON');
    const insert = connection.prepare<SchemaRow[]>(
      'INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)',
    );
    for (const [type, name, table, root, sql] of wanted) {
      const own = believed.find((row) => row[1] === name)?.[3] ?? root;
      insert.run(...([type, name, table, own, sql] as unknown as SchemaRow[]));
    }
  } finally {
    connection.close();
  }
}

function copyDatabase(file: string, copy: string, folder: string): void {
  makeFolders(folder);
  makeFolders(join(copy, '..'));
  for (const suffix of ['', '-wal']) {
    rmSync(`${copy}${suffix}`, { force: true });
    // Shares the blocks where the file system can.
    if (existsSync(`${file}${suffix}`))
      copyFileSync(`${file}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE);
  }
}

/** Replaces the first bytes of page 1, and its checksum. */
function writeAtStart(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  try {
    const page = Buffer.alloc(PAGE_SIZE);
    readSync(descriptor, page, 0, PAGE_SIZE, 0);
    bytes.copy(page);
    sealPage(page);
    writeSync(descriptor, page, 0, PAGE_SIZE, 0);
  } finally {
    closeSync(descriptor);
  }
}
