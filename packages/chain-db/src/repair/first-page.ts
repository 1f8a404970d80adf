import type { NetworkName } from '@wrkz/core-types';
import { fitsChecksum, sealPage } from '@wrkz/sqlite';
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { databaseFile } from '../connection';
import { openChainDb } from '../open';
import { PAGE_SIZE } from '../schema';

/** Fields of the database header: https://www.sqlite.org/fileformat.html#the_database_header */
const PAGE_COUNT = 28;
const FREE_LIST = 32;

/**
 * Replaces a damaged page 1, which has the header and the schema, by page 1 of a new database: the schema and the root pages
 * are the same in every chain database. The list of free pages is lost: a database with free pages must not be written then.
 *
 * @param folder an empty folder for the new database
 * @returns the damaged page; undefined if the page is intact, which changes nothing
 */
export function replaceFirstPage(directory: string, network: NetworkName, folder: string): Buffer | undefined {
  const file = openSync(databaseFile(directory), 'r+');
  try {
    const page = Buffer.alloc(PAGE_SIZE);
    readSync(file, page, 0, PAGE_SIZE, 0);
    if (fitsChecksum(page)) return undefined;
    openChainDb({ directory: folder, network }).close();
    const fresh = readFileSync(databaseFile(folder)).subarray(0, PAGE_SIZE);
    rmSync(folder, { recursive: true });
    fresh.writeUInt32BE(Math.floor(fstatSync(file).size / PAGE_SIZE), PAGE_COUNT);
    fresh.fill(0, FREE_LIST, FREE_LIST + 8);
    sealPage(fresh);
    writeFirstPage(file, fresh);
    return page;
  } finally {
    closeSync(file);
  }
}

/** Writes the damaged page back, to restore the original file. */
export function restoreFirstPage(directory: string, page: Buffer): void {
  const file = openSync(databaseFile(directory), 'r+');
  try {
    writeFirstPage(file, page);
  } finally {
    closeSync(file);
  }
}

function writeFirstPage(file: number, page: Buffer): void {
  writeSync(file, page, 0, PAGE_SIZE, 0);
  fsyncSync(file);
}
