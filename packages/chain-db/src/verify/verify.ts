import { setImmediate } from 'node:timers/promises';
import { connect } from '../connection';
import { databaseFile, type ChainDb } from '../open';
import { ChainReader } from '../reader/reader';
import { TABLES } from '../schema';
import { sqliteFailure } from '../sqlite-error';
import { checkAlternatives } from './alternatives-check';
import { BlockVerifier } from './block-verifier';
import { StateDigest } from './digest';
import { Problems } from './problems';
import { StoredRows } from './stored-rows';

export interface VerifyOptions {
  /** Called now and then with the height reached and the top. */
  readonly onProgress?: (height: number, top: number) => void;
  /** Ends it early: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface VerifyReport {
  /** One line a finding, in chain order; empty for a sound database. */
  readonly problems: string[];
  /** Index of the top, -1 for an empty database. */
  readonly height: number;
  /** 64 hex characters; equal for two databases of one network exactly when they hold the same chain state. */
  readonly digest: string;
}

/** Milliseconds of work before the event loop gets a turn. */
const TURN = 20;

/**
 * Reads the whole database and recomputes from the raw blocks what the other tables say: ids, links, transaction hashes,
 * outputs and their global indexes, key images, sizes, generated coins, difficulty. Rows that no block accounts for are
 * found by counting, and SQLite's own check looks at the pages.
 *
 * It sees one state of the chain, in bounded memory, while a writer may go on (the write-ahead log grows meanwhile).
 */
export async function verifyChain(
  db: Pick<ChainDb, 'directory' | 'network'>,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const connection = connect(databaseFile(db.directory), 'read');
  try {
    connection.exec('BEGIN');
    const reader = new ChainReader(connection);
    const rows = new StoredRows(connection);
    const problems = new Problems();
    const digest = new StateDigest(db.network);
    const verifier = new BlockVerifier(db.network, rows, problems, digest);
    // Not the highest height: a damaged one would send the loop far beyond the chain.
    const top = rows.count('blocks') - 1;
    const turn = turns(TURN);
    for (let height = 0; height <= top; height++) {
      guarded(problems, `block ${height}`, () => verifier.check(height));
      if (!turn()) continue;
      options.onProgress?.(height, top);
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    problems.equal('blocks', 'highest height', reader.height(), top);
    guarded(problems, 'alternatives', () => checkAlternatives(reader, problems));
    const expected = expectedCounts(verifier, top);
    for (const table of TABLES) {
      guarded(problems, table, () => {
        const wanted = expected[table];
        if (wanted !== undefined) problems.equal(table, 'number of rows', rows.count(table), wanted);
        for (const line of rows.structure(table)) problems.add(table, line);
      });
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    options.onProgress?.(top, top);
    return { problems: problems.all(), height: top, digest: digest.finish() };
  } finally {
    connection.close();
  }
}

/** How many rows each table must have, from what the raw blocks held. */
function expectedCounts(verifier: BlockVerifier, top: number): Partial<Record<(typeof TABLES)[number], number>> {
  let outputs = 0;
  for (const count of verifier.outputs.values()) outputs += count;
  return {
    blocks: top + 1,
    block_bodies: top + 1,
    transactions: verifier.transactions,
    transaction_bodies: verifier.transactions - (top + 1),
    amounts: verifier.outputs.size,
    outputs,
    key_images: verifier.keyImages,
  };
}

/** A damaged page makes SQLite throw; that is a finding, too, and the rest is still looked at. */
function guarded(problems: Problems, where: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    const failure = sqliteFailure(error);
    if (failure === undefined) throw error;
    problems.add(where, failure.message);
  }
}

/** Tells, when asked, whether `milliseconds` have passed since it last said so. */
function turns(milliseconds: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}
