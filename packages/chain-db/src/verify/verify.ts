import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { SqliteConnection } from '@wrkz/sqlite';
import { connectForReading, databaseFile } from '../connection';
import { readDirectory } from '../hash-index/lookup';
import { HASH_INDEX_TABLES } from '../hash-index/schema';
import type { FloorHeights } from '../modes/floors';
import { rulesDigestSteps } from '../modes/rules-digest-steps';
import type { ChainDb } from '../open';
import { ChainReader } from '../reader/reader';
import { TABLES } from '../schema';
import { checkAlternatives } from './alternatives-check';
import { fastPass, steps } from './fast-pass';
import { checkHeader } from './file-check';
import { fullPass } from './full-pass';
import { checkHashIndex } from './hash-index-check';
import { guarded, Problems } from './problems';
import { checkMeta, checkSchema } from './schema-check';
import { StoredRows } from './stored-rows';
import { APART_FROM, checkStructure, WHOLE_FILE } from './structure';

/** `fast` believes rows that fit their checksums; `full` recomputes what they say (docs/protocol/storage.md#verify). */
export type VerifyMode = 'fast' | 'full';

export interface VerifyOptions {
  /** Default: full. */
  readonly mode?: VerifyMode;
  /** Called now and then with the height reached and that of the tip. */
  readonly onProgress?: (height: number, tip: number) => void;
  /** Ends it early, within some milliseconds of a turn: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Bytes of a database from which on SQLite's own check is done in another process; for tests. */
  readonly apartFrom?: number;
}

export interface VerifyReport {
  /** One line a finding, in chain order; empty for a sound database. */
  readonly problems: string[];
  /** Height of the tip, -1 for an empty database. */
  readonly height: number;
  /**
   * 64 hex characters; equal for two databases of one network exactly when they hold the same chain state. undefined in the fast
   * mode, and where the database is not a full one: it has not all that goes in.
   */
  readonly digest: string | undefined;
  /** The same of what the rules read, which every mode has; undefined where that is damaged. See `rulesDigest`. */
  readonly rulesDigest: string | undefined;
}

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;

/**
 * Reads the whole database and looks whether all is as it must be, in the thoroughness of the mode. Rows that no block accounts
 * for are found by counting, SQLite's own check looks at the pages, and the schema and the rows of `meta` are compared as well.
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
    const work = verification(connection, db, options);
    const yielder = new EventLoopYielder(SLICE_MS);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (step.value instanceof Promise) await step.value;
      if (yielder.isDue) await yielder.yieldIfDue(options.signal);
    }
  } finally {
    connection.close();
  }
}

function* verification(
  connection: SqliteConnection,
  { directory, network }: Pick<ChainDb, 'directory' | 'network'>,
  { mode = 'full', onProgress, signal, apartFrom = APART_FROM }: VerifyOptions,
): Generator<void | Promise<void>, VerifyReport> {
  const problems = new Problems();
  const runs = guarded(problems, 'hash look-ups', () => readDirectory(connection, true));
  const reader = new ChainReader(connection, () => runs);
  const rows = new StoredRows(connection, runs);
  const floors = guarded(problems, 'meta', () => reader.floors()) ?? WHOLE;
  const isTold = intervals(SLICE_MS);
  const progress = (height: number, tip: number): void => {
    if (isTold()) onProgress?.(height, tip);
  };
  const found =
    mode === 'full'
      ? yield* fullPass(connection, network, rows, floors, problems, progress)
      : { ...(yield* fastPass(connection, reader, floors, problems, progress)), digest: undefined };
  const { tip, entries } = found;
  guarded(problems, 'blocks', () => problems.equal('blocks', 'highest height', reader.height(), tip));
  guarded(problems, 'schema', () => checkSchema(connection, problems));
  guarded(problems, 'meta', () => checkMeta(connection, network, tip, problems));
  guarded(problems, 'alternatives', () => checkAlternatives(reader, rows, problems));
  if (runs !== undefined) {
    yield* steps(problems, 'hash look-ups', checkHashIndex(connection, runs, entries, problems));
  }
  const file = databaseFile(directory);
  const tables = [...TABLES, ...HASH_INDEX_TABLES];
  yield* checkStructure(connection, { file, tables, apartFrom, signal }, problems);
  guarded(problems, 'header of the file', () => checkHeader(connection, file, problems));
  // SQLite looks at all pages once more for what belongs to no table, so it is done only where nothing else was found.
  if (problems.count === 0) {
    yield* checkStructure(connection, { file, tables: [WHOLE_FILE], apartFrom, signal }, problems);
  }
  const rulesDigest =
    'rulesDigest' in found
      ? found.rulesDigest
      : yield* steps(problems, 'what the rules read', rulesDigestSteps(reader));
  onProgress?.(tip, tip);
  const digest = floors.bodies === 0 ? found.digest : undefined;
  return { problems: problems.all(), height: tip, digest, rulesDigest };
}

const WHOLE: FloorHeights = { bodies: 0, records: 0, lite: undefined };

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
