import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { SqliteConnection } from '@wrkz/sqlite';
import { connectForReading, databaseFile } from '../connection';
import { damageIn } from '../failures';
import { readDirectory } from '../hash-index/lookup';
import { HASH_KINDS } from '../hash-index/schema';
import type { FloorHeights } from '../modes/floors';
import { rulesDigests } from '../modes/rules-digest';
import type { ChainDb } from '../open';
import { ChainReader } from '../reader/reader';
import { PAGE_SIZE, TABLES } from '../schema';
import { checkAlternatives, checkHashIndex, checkLowerTables, checkMeta, checkSchema } from './table-checks';
import { BlockCheck } from './block-check';
import { StateDigest } from './digest';
import { checkPages, checkPagesInChild, CHILD_PROCESS_BYTES, pageCount, type PageReport } from './page-check';
import { Problems } from './problems';
import { StoredRows } from './stored-rows';

export interface VerifyOptions {
  /** Called periodically with the current height and the height of the tip. */
  readonly onProgress?: (height: number, tip: number) => void;
  /** Aborts the verification: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Min database size for a check of the pages in a child process; for tests. */
  readonly childProcessBytes?: number;
}

export interface VerifyReport {
  /** One line for each finding; empty for an intact database. */
  readonly problems: string[];
  /** Height of the tip, -1 for an empty database. */
  readonly height: number;
  /**
   * 64 hex characters; equal for two databases of one network if and only if they have the same chain state. Undefined for a
   * pruned or lite database, which lacks a part of the state, and if damaged pages ended the verification.
   */
  readonly digest: string | undefined;
  /** The digest of the data that the consensus rules read (`rulesDigest`), which every mode has; undefined on damage. */
  readonly rulesDigest: string | undefined;
}

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;
const FULL: FloorHeights = { bodies: 0, records: 0, lite: undefined };

/**
 * Verifies the whole database in one pass: every page by its checksum, the structure by SQLite, then the chain, which is
 * recomputed from the raw blocks and compared with every other table (docs/protocol/storage.md#verify). Damaged pages end it
 * before the chain is checked: one damaged page is one finding.
 *
 * The verification reads one state of the chain in bounded memory. A writer may append meanwhile.
 */
export async function verifyChain(
  db: Pick<ChainDb, 'directory' | 'network'>,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const connection = connectForReading(db.directory);
  try {
    connection.exec('BEGIN');
    const problems = new Problems();
    const pages = await pageReport(connection, databaseFile(db.directory), options);
    for (const line of pages.problems) problems.line(line);
    if (problems.count > 0) {
      return {
        problems: problems.all(),
        height: readableHeight(connection),
        digest: undefined,
        rulesDigest: undefined,
      };
    }
    const work = verification(connection, db, pages.rows, problems, options);
    const yielder = new EventLoopYielder(SLICE_MS);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (yielder.isDue) await yielder.yieldIfDue(options.signal);
    }
  } finally {
    connection.close();
  }
}

function readableHeight(connection: SqliteConnection): number {
  try {
    return new ChainReader(connection).height();
  } catch (error) {
    if (damageIn(error) === undefined) throw error;
    return -1;
  }
}

function pageReport(
  connection: SqliteConnection,
  file: string,
  { childProcessBytes = CHILD_PROCESS_BYTES, signal }: VerifyOptions,
): PageReport | Promise<PageReport> {
  signal?.throwIfAborted();
  const isLarge = pageCount(connection) * PAGE_SIZE >= childProcessBytes;
  return isLarge ? checkPagesInChild(file, TABLES, signal) : checkPages(connection, TABLES);
}

function* verification(
  connection: SqliteConnection,
  { network }: Pick<ChainDb, 'network'>,
  rows: PageReport['rows'],
  problems: Problems,
  { onProgress }: VerifyOptions,
): Generator<void, VerifyReport> {
  problems.guard('schema', () => checkSchema(connection, problems));
  const directory = problems.guard('hash index', () => readDirectory(connection, true));
  const reader = new ChainReader(connection, { directory: () => directory });
  const stored = new StoredRows(connection, directory);
  const floors = problems.guard('meta', () => reader.floors()) ?? FULL;
  const digest = new StateDigest(network);
  const check = new BlockCheck(network, stored, problems, digest, floors);
  const { transactionCheck } = check;
  const blocks = rows['blocks'] ?? 0;
  const tip = blocks - 1;
  for (let height = 0; height <= tip; height++) {
    problems.guard(`block ${height}`, () => check.check(height));
    onProgress?.(height, tip);
    yield;
    if (height === 0 && floors.lite !== undefined) {
      const lower = checkLowerTables(reader, stored, problems, { lite: floors.lite, tip }, transactionCheck);
      yield* guardedSteps(problems, 'rows below the lite height', lower);
    }
  }
  problems.guard('blocks', () => problems.equal('blocks', 'highest height', reader.height(), tip));
  // Detects rows that belong to no block.
  const expected: Record<string, number> = {
    ...check.rows,
    amounts: transactionCheck.outputs.size,
    outputs: [...transactionCheck.outputs.values()].reduce((sum, count) => sum + count, 0),
    key_images: transactionCheck.keyImages,
    payment_ids: transactionCheck.paymentIds,
  };
  for (const [table, count] of Object.entries(expected)) problems.equal(table, 'number of rows', rows[table], count);
  problems.guard('meta', () => checkMeta(connection, network, tip, problems));
  problems.guard('alternatives', () => checkAlternatives(reader, stored, problems));
  if (directory !== undefined) {
    const entries = {
      [HASH_KINDS.block]: blocks,
      [HASH_KINDS.transaction]: check.rows.transactions,
      [HASH_KINDS.keyImage]: transactionCheck.keyImages,
      [HASH_KINDS.paymentId]: transactionCheck.paymentIds,
    };
    yield* guardedSteps(problems, 'hash index', checkHashIndex(connection, directory, entries, problems));
  }
  const digests = checkRulesDigests(reader, tip, rows['rules_digests'] ?? 0, problems);
  const rulesDigest = yield* guardedSteps(problems, 'rules digest', digests);
  onProgress?.(tip, tip);
  return {
    problems: problems.all(),
    height: tip,
    digest: floors.bodies === 0 ? digest.finish() : undefined,
    rulesDigest,
  };
}

/** Compares the stored digests, which may end below the tip. @returns the digest at the tip in hex */
function* checkRulesDigests(
  reader: ChainReader,
  tip: number,
  count: number,
  problems: Problems,
): Generator<void, string | undefined> {
  let latest: string | undefined;
  let found = 0;
  for (const { height, digest } of rulesDigests(reader, tip)) {
    latest = digest.toString('hex');
    const stored = reader.storedRulesDigest(height);
    if (stored?.height === height) {
      found++;
      problems.equal(`rules digest ${height}`, 'digest', stored.digest, digest);
    }
    yield;
  }
  problems.equal('rules_digests', 'number of rows', count, found);
  return latest;
}

/** Runs the steps of a check. Damage that ends it is added as a finding, and the result is undefined. */
function* guardedSteps<T>(
  problems: Problems,
  where: string,
  steps: Generator<void, T>,
): Generator<void, T | undefined> {
  for (;;) {
    const step = problems.guard(where, () => steps.next());
    if (step === undefined) return undefined;
    if (step.done === true) return step.value;
    yield;
  }
}
