import { sqliteFailure } from '@wrkz/sqlite';
import { setImmediate } from 'node:timers/promises';
import { connectForReading } from '../connection';
import type { ChainDb } from '../open';
import { CorruptDatabase } from '../errors';
import { RunDirectory } from '../hash-index/directory';
import { HASH_KINDS, type HashKind } from '../hash-index/kinds';
import { HASH_INDEX_TABLES } from '../hash-index/schema';
import { ChainReader } from '../reader/reader';
import { TABLES } from '../schema';
import { checkAlternatives } from './alternatives-check';
import { checkHashIndex } from './hash-index-check';
import { BlockVerifier } from './block-verifier';
import { StateDigest } from './digest';
import { Problems } from './problems';
import { checkMeta, checkSchema } from './schema-check';
import { StoredRows } from './stored-rows';

/** `fast` believes rows that fit their checksums; `full` recomputes what they say. */
export type VerifyMode = 'fast' | 'full';

export interface VerifyOptions {
  /** Default: full. */
  readonly mode?: VerifyMode;
  /** Called now and then with the height reached and that of the tip. */
  readonly onProgress?: (height: number, tip: number) => void;
  /** Ends it early: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface VerifyReport {
  /** One line a finding, in chain order; empty for a sound database. */
  readonly problems: string[];
  /** Height of the tip, -1 for an empty database. */
  readonly height: number;
  /** 64 hex characters; equal for two databases of one network exactly when they hold the same chain state. */
  readonly digest: string;
}

/** Milliseconds of work before the event loop gets a turn. */
const TURN = 20;

/**
 * Reads the whole database and recomputes from the raw blocks what the other tables say: ids, links, transaction hashes,
 * outputs and their global indexes, key images, payment ids, sizes, generated coins, difficulty. Rows that no block accounts for are
 * found by counting, SQLite's own check looks at the pages, and the schema and the rows of `meta` are compared as well.
 *
 * It sees one state of the chain, in bounded memory, while a writer may go on (the write-ahead log grows meanwhile).
 */
export async function verifyChain(
  db: Pick<ChainDb, 'directory' | 'network'>,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const connection = connectForReading(db.directory);
  try {
    connection.exec('BEGIN');
    const problems = new Problems();
    const directory = guarded(problems, 'hash look-ups', () => RunDirectory.load(connection));
    const reader = new ChainReader(connection, () => directory);
    const rows = new StoredRows(connection, directory);
    const digest = new StateDigest(db.network);
    const verifier = new BlockVerifier(db.network, rows, problems, digest);
    // Not the highest height: a damaged one would send the loop far beyond the chain.
    const tip = rows.count('blocks') - 1;
    const isTurnDue = intervals(TURN);
    for (let height = 0; height <= tip; height++) {
      guarded(problems, `block ${height}`, () => verifier.check(height));
      if (!isTurnDue()) continue;
      options.onProgress?.(height, tip);
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    guarded(problems, 'blocks', () => problems.equal('blocks', 'highest height', reader.height(), tip));
    guarded(problems, 'schema', () => checkSchema(connection, problems));
    guarded(problems, 'meta', () => checkMeta(connection, db.network, tip, problems));
    guarded(problems, 'alternatives', () => checkAlternatives(reader, rows, problems));
    const expected = expectedCounts(verifier, tip);
    guarded(problems, 'hash look-ups', () => {
      if (directory !== undefined) checkHashIndex(connection, directory, expectedEntries(verifier, tip), problems);
    });
    for (const table of [...TABLES, ...HASH_INDEX_TABLES]) {
      guarded(problems, table, () => {
        const wanted = expected[table as (typeof TABLES)[number]];
        if (wanted !== undefined) problems.equal(table, 'number of rows', rows.count(table), wanted);
        for (const line of rows.structure(table)) problems.add(table, line);
      });
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    options.onProgress?.(tip, tip);
    return { problems: problems.all(), height: tip, digest: digest.finish() };
  } finally {
    connection.close();
  }
}

/** How many rows each table must have, from what the raw blocks held. */
function expectedCounts(verifier: BlockVerifier, tip: number): Partial<Record<(typeof TABLES)[number], number>> {
  let outputs = 0;
  for (const count of verifier.outputs.values()) outputs += count;
  return {
    blocks: tip + 1,
    block_bodies: tip + 1,
    transactions: verifier.transactions,
    signatures: verifier.signatures,
    amounts: verifier.outputs.size,
    outputs,
    key_images: verifier.keyImages,
    payment_ids: verifier.paymentIds,
  };
}

function expectedEntries(verifier: BlockVerifier, tip: number): Record<HashKind, number> {
  return {
    [HASH_KINDS.block]: tip + 1,
    [HASH_KINDS.transaction]: verifier.transactions,
    [HASH_KINDS.keyImage]: verifier.keyImages,
    [HASH_KINDS.paymentId]: verifier.paymentIds,
  };
}

/** A damaged page makes SQLite throw; that is a finding, too, and the rest is still looked at. */
function guarded<T>(problems: Problems, where: string, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    const failure = error instanceof CorruptDatabase ? error : sqliteFailure(error);
    if (failure === undefined) throw error;
    problems.add(where, failure.message);
    return undefined;
  }
}

/** A question that is answered with yes when `milliseconds` have passed since the last yes. */
function intervals(milliseconds: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}
