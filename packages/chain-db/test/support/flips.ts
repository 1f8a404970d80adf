import { SqliteConnection, SqliteFileError } from '@wrkz/sqlite';
import { isDeepStrictEqual } from 'node:util';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { ChainDbError, databaseFile, openChainDb } from '../../src';
import { PAGE_SIZE } from '../../src/schema';
import type { Question } from './answers';

/** The page numbers of a closed database by table or index. */
export function pagesByTable(directory: string): Map<string, number[]> {
  const connection = new SqliteConnection(databaseFile(directory), { readonly: true });
  try {
    const pages = new Map<string, number[]>();
    for (const [name, page] of connection
      .prepare<[], [string, number]>('SELECT name, pageno FROM dbstat ORDER BY pageno')
      .raw(true)
      .iterate()) {
      pages.set(name, [...(pages.get(name) ?? []), page]);
    }
    return pages;
  } finally {
    connection.close();
  }
}

/** Runs `work` while one bit of a page is flipped. */
export function withFlippedBit<T>(directory: string, page: number, bit: number, work: () => T): T {
  const file = openSync(databaseFile(directory), 'r+');
  const place = (page - 1) * PAGE_SIZE + (bit >> 3);
  const byte = Buffer.alloc(1);
  try {
    readSync(file, byte, 0, 1, place);
    const sound = Buffer.from(byte);
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << (bit & 7)), 0);
    writeSync(file, byte, 0, 1, place);
    try {
      return work();
    } finally {
      writeSync(file, sound, 0, 1, place);
    }
  } finally {
    closeSync(file);
  }
}

/** Results of the queries of a damaged database. */
export interface Answers {
  /** Number of queries that failed with a named error. */
  damaged: number;
  /** Names of the queries with a wrong result or another error. */
  readonly wrong: string[];
}

/** Whether an error is a class of this package or of packages/sqlite, or an error of SQLite for damaged pages. */
function isNamed(error: unknown): boolean {
  if (error instanceof ChainDbError || error instanceof SqliteFileError) return true;
  return /^SQLITE_(CORRUPT|NOTADB|ERROR|IOERR)/.test(String((error as { code?: unknown }).code));
}

/** Runs all queries on the current files and compares the results with the correct ones. */
export function askAll(directory: string, questions: readonly Question[], right: readonly unknown[]): Answers {
  const responses: Answers = { damaged: 0, wrong: [] };
  const attempt = <T>(name: string, work: () => T, judge: (result: T) => boolean): void => {
    try {
      const result = work();
      if (!judge(result)) responses.wrong.push(name);
    } catch (error) {
      if (isNamed(error)) responses.damaged++;
      else responses.wrong.push(`${name}: ${String(error)}`);
    }
  };
  attempt(
    'open',
    () => openChainDb({ directory, network: 'devnet', readonly: true }),
    (db) => {
      try {
        questions.forEach(({ name, request }, i) => {
          attempt(
            name,
            () => request(db.reader),
            (result) => isDeepStrictEqual(result, right[i]),
          );
        });
      } finally {
        db.close();
      }
      return true;
    },
  );
  return responses;
}
