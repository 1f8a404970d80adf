import { existsSync, statSync } from 'node:fs';
import { FileCutShort, WrongLog, type FileName } from './errors';
import { readDatabaseHead, readLog, readRoundBegun, type DatabaseHead, type LogFacts } from './log-file';
import { logFile, markFile, readMark, UNMARKED_GROWTH, type MarkFacts } from './log-mark';

/** How the last session that wrote ended, by what it left. */
export interface LastStop {
  /** False after a kill, a power cut, or a stop that could not copy the log back. */
  readonly clean: boolean;
}

/** SQLite leaves the page at this byte out of every file. */
const LOCK_BYTE = 0x4000_0000;

/**
 * Looks before SQLite does whether a database and the write-ahead log beside it belong together and are whole. SQLite
 * itself starts a new database where one is missing and removes its log, takes a log of another database for its own, and
 * reads a file that was cut off as far as it goes.
 *
 * @param marked whether sessions leave a {@link LogMark}: then a log with several commits and no mark is not from here
 * @throws WrongLog, FileCutShort
 */
export function checkLog(name: FileName, marked: boolean): LastStop {
  const { file } = name;
  const mark = marked ? readMark(file) : undefined;
  const head = readDatabaseHead(file);
  const log = readLog(logFile(file));
  if (log === undefined) {
    if (mark?.state === 'open' && isThere(file) && !isBegunAnew(file, mark, head)) {
      throw new WrongLog(name, 'it is gone, or holds nothing', goneRemedy(name));
    }
    if (head?.pagesTold !== undefined && head.pages < head.pagesTold) {
      throw new FileCutShort(name, head.pages, head.pagesTold);
    }
    return { clean: mark === undefined };
  }
  if (!isThere(file)) {
    const what = existsSync(file) ? 'empty' : 'missing';
    throw new WrongLog(name, `the file that it belongs to is ${what}`, lostRemedy(name));
  }
  // Not a database at all, which SQLite says.
  if (head === undefined) return { clean: false };
  const reason = stranger(head, log, mark, marked);
  if (reason !== undefined) throw new WrongLog(name, reason, strangerRemedy(name));
  if (!isCovered(head, log)) throw new FileCutShort(name, head.pages, log.databasePages);
  return { clean: false };
}

/** Why a log is not that of the database; undefined when nothing speaks against it. */
function stranger(head: DatabaseHead, log: LogFacts, mark: MarkFacts | undefined, marked: boolean): string | undefined {
  if (mark === undefined) {
    // A session that ended between its first commit and the mark leaves one commit.
    if (marked && log.commits > 1) return 'nothing tells that the last session here left one';
    if (log.counters === undefined) return undefined;
    const [first, last] = log.counters;
    if (first > head.counter + 1) return 'it begins at another state of the database';
    // A copy of the log that no commit has followed leaves all of it: the database stands somewhere within it then.
    if (head.counter > last) return 'the database is younger than the log';
    return undefined;
  }
  if (log.identity !== mark.log) return 'it is not the one that the last session here has written';
  if (head.counter < mark.counter) return 'the database is older than the log';
  if (log.counters !== undefined && head.counter > log.counters[1]) return 'the database is younger than the log';
  if (head.pages > UNMARKED_GROWTH * Math.max(mark.pages, log.mostPages)) {
    return 'the database is not the one that the log was written for';
  }
  return undefined;
}

/** Whether the session was killed between a copy of the whole log and the first commit behind it: nothing is missing then. */
function isBegunAnew(file: string, mark: MarkFacts, head: DatabaseHead | undefined): boolean {
  return readRoundBegun(logFile(file)) === mark.log && (head === undefined || head.counter >= mark.counter);
}

/** Whether every page beyond the end of the file stands in the log. */
function isCovered(head: DatabaseHead, log: LogFacts): boolean {
  const lockPage = LOCK_BYTE / head.pageSize + 1;
  for (let page = head.pages + 1; page <= log.databasePages; page++) {
    if (page !== lockPage && !log.pages.has(page)) return false;
  }
  return true;
}

function isThere(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}

function lostRemedy({ file, title }: FileName): string {
  return `Put the ${title} back beside it, or move ${logFile(file)} away to begin anew`;
}

function strangerRemedy({ file, title }: FileName): string {
  return (
    `Put the ${title} and the log back that belong together. Without the log the ${title} may have lost what was ` +
    `written last: to open it so, move ${logFile(file)} and ${markFile(file)} away, and have it verified`
  );
}

function goneRemedy({ file, title }: FileName): string {
  return (
    `Put ${logFile(file)} back. Without it the ${title} may have lost what was written last, or be torn: to open it so, ` +
    `move ${markFile(file)} away, and have it verified`
  );
}
