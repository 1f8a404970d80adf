import type { SqliteConnection } from '@wrkz/sqlite';
import { HASH_KINDS, type HashKind } from '../hash-index/schema';
import type { FloorHeights } from '../modes/floors';
import { RulesDigest } from '../modes/rules-digest';
import { checkRecentHashes } from '../open-checks/recent-hashes';
import type { ChainReader } from '../reader/reader';
import { guarded, type Problems } from './problems';
import {
  ROWS_A_STEP,
  scanBlocks,
  scanBodies,
  scanKeyImages,
  scanOutputs,
  scanPaymentIds,
  scanSignatures,
  scanTransactions,
} from './row-scan';

/** What the tables were found to hold. */
export interface FoundRows {
  /** Height of the tip, by the number of blocks. */
  readonly tip: number;
  readonly entries: Readonly<Record<HashKind, number>>;
}

/**
 * Reads every row once, in the order of the file: that each fits its checksum, that none is missing between two others, that
 * running totals follow, and that the tables end at one block. Nothing is decoded, hashed or looked up.
 */
export function* fastPass(
  connection: SqliteConnection,
  reader: ChainReader,
  floors: FloorHeights,
  problems: Problems,
  progress: (height: number, tip: number) => void,
): Generator<void, FoundRows & { readonly rulesDigest: string | undefined }> {
  const digest = new RulesDigest();
  const stamp = (height: number): number =>
    guarded(problems, `block ${height}`, () => reader.blockStamps(height, height + 1)[0]?.generatedTransactions) ?? 1;
  let done = 0;
  let tip = guarded(problems, 'blocks', () => reader.height()) ?? 0;
  const estimate = guarded(problems, 'rows', () => estimateSteps(connection)) ?? 1;
  function* rowsOf(table: string, scan: Generator<void, number>): Generator<void, number> {
    const work = steps(problems, table, scan);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value ?? 0;
      progress(Math.floor(Math.min(++done / estimate, 1) * tip), tip);
      yield;
    }
  }
  const blocks = yield* rowsOf('blocks', scanBlocks(connection, problems, digest));
  tip = blocks - 1;
  const hasRecords = tip >= floors.records;
  const firstRecord = floors.records === 0 ? 1 : stamp(floors.records - 1);
  const firstSigned = floors.bodies === 0 || tip < floors.bodies ? 0 : stamp(floors.bodies - 1);
  const images = scanKeyImages(connection, problems, tip, (image, height) => digest.keyImage(image, height));
  const keyImages = yield* rowsOf('key_images', images);
  yield* rowsOf('outputs', scanOutputs(connection, problems, tip, digest));
  const rulesDigest = problems.count === 0 ? digest.finish() : undefined;
  const bodies = yield* rowsOf('block_bodies', scanBodies(connection, problems, floors.bodies));
  const transactions = yield* rowsOf('transactions', scanTransactions(connection, problems, firstRecord));
  yield* rowsOf('signatures', scanSignatures(connection, problems, firstSigned));
  const paymentIds = yield* rowsOf('payment_ids', scanPaymentIds(connection, problems));
  if (tip >= 0) {
    problems.equal('block_bodies', 'number of rows', bodies, 1 + Math.max(0, blocks - Math.max(floors.bodies, 1)));
    const records = hasRecords ? 1 + stamp(tip) - firstRecord : 1;
    problems.equal('transactions', 'number of rows', transactions, records);
  }
  guarded(problems, 'hash look-ups', () => checkRecentHashes(connection, reader));
  const entries = {
    [HASH_KINDS.block]: blocks,
    [HASH_KINDS.transaction]: transactions,
    [HASH_KINDS.keyImage]: keyImages,
    [HASH_KINDS.paymentId]: paymentIds,
  };
  return { tip, entries, rulesDigest };
}

/** In how many steps the tables are read, roughly. */
function estimateSteps(connection: SqliteConnection): number {
  const highest = ['block_bodies', 'blocks', 'transactions', 'signatures', 'payment_ids', 'key_images'].map(
    (table) => `(SELECT coalesce(max(rowid), 0) FROM ${table})`,
  );
  const outputs =
    '(SELECT coalesce(sum((SELECT max(global_index) FROM outputs WHERE amount_id = id)), 0) FROM amounts)';
  const rows =
    connection
      .prepare<[], [number]>(`SELECT ${[...highest, outputs].join(' + ')}`)
      .raw(true)
      .get()?.[0] ?? 0;
  return Math.max(1, Math.ceil(rows / ROWS_A_STEP));
}

/** All steps of a look; damage that ends it is a problem, and undefined is its result. */
export function* steps<T>(problems: Problems, where: string, work: Generator<void, T>): Generator<void, T | undefined> {
  for (;;) {
    const step = guarded(problems, where, () => work.next());
    if (step === undefined) return undefined;
    if (step.done === true) return step.value;
    yield;
  }
}
