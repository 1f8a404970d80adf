import type { SqliteConnection } from '@wrkz/sqlite';
import { toUnsigned } from '../integers';
import {
  blockRowChecksum,
  bodyChecksum,
  keyImageChecksum,
  outputChecksum,
  paymentIdChecksum,
  prefixChecksum,
  signaturesChecksum,
  stampChecksum,
  transactionChecksum,
} from '../rows/checksums';
import type { RulesDigest } from '../modes/rules-digest';
import { FACTS_HALVES, factsOf, type FactsRow } from '../rows/facts';
import type { Problems } from './problems';

/** Rows of a step: some milliseconds. */
export const ROWS_A_STEP = 500;
const LOWEST = -Number.MAX_SAFE_INTEGER;

type Step = Generator<void, number>;

/** A table that is read in the order of its keys. */
interface Scan<R extends readonly [number, ...unknown[]]> {
  readonly table: string;
  /** Columns, the key first. */
  readonly columns: string;
  readonly key: string;
  /** Which rows; default: all. */
  readonly where?: string;
  readonly isSound: (row: R) => boolean;
  /** Called with each row in ascending order of the keys. */
  readonly each?: (row: R) => void;
  /** How a problem names a row. */
  readonly name?: (key: number) => string;
}

/** Reads every row of a table and compares it with its checksum. @returns how many there were */
function* scan<R extends readonly [number, ...unknown[]]>(
  connection: SqliteConnection,
  problems: Problems,
  { table, columns, key, where = '1', isSound, each, name = (row) => `row ${row} of ${table}` }: Scan<R>,
): Step {
  const statement = connection
    .prepare<[number], R>(
      `SELECT ${columns} FROM ${table} WHERE ${where} AND ${key} > ? ORDER BY ${key} LIMIT ${ROWS_A_STEP}`,
    )
    .raw(true);
  let count = 0;
  for (let last = LOWEST; ;) {
    const rows = statement.all(last);
    for (const row of rows) {
      if (!isSound(row)) problems.add(name(row[0]), 'does not fit its checksum');
      each?.(row);
    }
    count += rows.length;
    if (rows.length < ROWS_A_STEP) return count;
    last = (rows[rows.length - 1] as R)[0];
    yield;
  }
}

/** A look at rows that must be numbered without a gap from `next` on, each gap told once. */
export function numbered(
  problems: Problems,
  table: string,
  next: number,
): (row: readonly [number, ...unknown[]]) => void {
  let expected = next;
  return ([key]) => {
    if (key !== expected) problems.add(`row ${expected} of ${table}`, `is missing: the next one is ${key}`);
    expected = key + 1;
  };
}

type BlockColumns = readonly [...FactsRow, lag: number, checksum: number, stampChecksum: number];

/** Blocks, each with its running totals against the one below. */
export function scanBlocks(connection: SqliteConnection, problems: Problems, digest: RulesDigest): Step {
  const isNext = numbered(problems, 'blocks', 0);
  let work = 0n;
  let transactions = 0;
  return scan<BlockColumns>(connection, problems, {
    table: 'blocks',
    columns: `${FACTS_HALVES}, timestamp_lag, checksum, stamp_checksum`,
    key: 'height',
    isSound: (row) => {
      const columns = row as unknown as FactsRow;
      return (
        blockRowChecksum(columns, row[13]) === row[14] &&
        stampChecksum({
          height: row[0],
          hash: row[1],
          timestamp: row[4],
          timestampLag: row[13],
          generatedTransactions: row[12],
        }) === row[15]
      );
    },
    each: (row) => {
      isNext(row);
      const facts = factsOf(row as unknown as FactsRow);
      digest.block(facts, [row[6], row[7], row[8], row[9], row[10], row[11]]);
      const where = `block ${facts.height}`;
      problems.equal(where, 'cumulative difficulty', facts.cumulativeDifficulty, work + facts.difficulty);
      if (facts.generatedTransactions <= transactions) problems.add(where, 'has no transactions');
      work = facts.cumulativeDifficulty;
      transactions = facts.generatedTransactions;
    },
  });
}

type BlobColumns = readonly [key: number, codec: number, blob: Buffer, checksum: number];

/** @param floor the lowest height above genesis that has a body */
export function scanBodies(connection: SqliteConnection, problems: Problems, floor: number): Step {
  const isNext = numbered(problems, 'block_bodies', Math.max(floor, 1));
  return scan<BlobColumns>(connection, problems, {
    table: 'block_bodies',
    columns: 'height, codec, body, checksum',
    key: 'height',
    isSound: ([height, codec, body, sum]) => bodyChecksum(height, codec, body) === sum,
    each: (row) => row[0] !== 0 && isNext(row),
  });
}

/** @param first the lowest id that may have signatures */
export function scanSignatures(connection: SqliteConnection, problems: Problems, first: number): Step {
  return scan<BlobColumns>(connection, problems, {
    table: 'signatures',
    columns: 'id, codec, signatures, checksum',
    key: 'id',
    isSound: ([id, codec, signatures, sum]) => signaturesChecksum(id, codec, signatures) === sum,
    each: ([id]) => id < first && problems.add(`row ${id} of signatures`, 'does not belong there'),
  });
}

type TransactionColumns = readonly [
  id: number,
  hash: Buffer,
  height: number,
  packed: Buffer,
  checksum: number,
  codec: number,
  prefixChecksum: number,
  prefix: Buffer,
];

/** @param first the lowest id of a transaction above genesis */
export function scanTransactions(connection: SqliteConnection, problems: Problems, first: number): Step {
  const isNext = numbered(problems, 'transactions', first);
  return scan<TransactionColumns>(connection, problems, {
    table: 'transactions',
    columns: 'id, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix',
    key: 'id',
    isSound: ([id, hash, height, packed, sum, codec, prefixSum, prefix]) =>
      transactionChecksum(id, hash, height, packed) === sum && prefixChecksum(id, hash, codec, prefix) === prefixSum,
    each: (row) => row[0] !== 0 && isNext(row),
  });
}

export function scanPaymentIds(connection: SqliteConnection, problems: Problems): Step {
  return scan<readonly [number, Buffer, number, number, number]>(connection, problems, {
    table: 'payment_ids',
    columns: 'id, payment_id, use, transaction_id, checksum',
    key: 'id',
    isSound: ([id, paymentId, use, transactionId, sum]) => paymentIdChecksum(id, paymentId, use, transactionId) === sum,
    each: numbered(problems, 'payment_ids', 0),
  });
}

/** @param tip no image is of a block above; @param onImage called with each */
export function scanKeyImages(
  connection: SqliteConnection,
  problems: Problems,
  tip: number,
  onImage: (image: Buffer, height: number, id: number) => void,
): Step {
  const isNext = numbered(problems, 'key_images', 0);
  const isInOrder = inOrder(problems, tip);
  return scan<readonly [number, Buffer, number, number]>(connection, problems, {
    table: 'key_images',
    columns: 'id, image, height, checksum',
    key: 'id',
    isSound: ([id, image, height, sum]) => keyImageChecksum(id, image, height) === sum,
    each: (row) => {
      isNext(row);
      isInOrder(`key image ${row[0]}`, row[2]);
      onImage(row[1], row[2], row[0]);
    },
  });
}

type OutputColumns = readonly [number, Buffer, number, number, number, number, number];

/** Called as the outputs are read, amount by amount in ascending order. */
export interface OutputVisitor {
  amount(amount: bigint): void;
  output(key: Buffer, height: number, unlockLow: number, unlockHigh: number): void;
  endAmount(outputs: number): void;
}

/** @param tip no output is of a block above */
export function* scanOutputs(
  connection: SqliteConnection,
  problems: Problems,
  tip: number,
  visitor: OutputVisitor,
): Step {
  let count = 0;
  for (const { id, amount } of amountsOf(connection)) {
    const isNext = numbered(problems, `outputs of ${amount}`, 0);
    const isInOrder = inOrder(problems, tip);
    visitor.amount(amount);
    const outputs = yield* scan<OutputColumns>(connection, problems, {
      table: 'outputs',
      columns:
        'global_index, key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position, checksum',
      key: 'global_index',
      where: `amount_id = ${id}`,
      name: (index) => `output ${index} of ${amount}`,
      isSound: ([index, key, height, unlockLow, unlockHigh, position, sum]) =>
        outputChecksum(amount, index, { key, height, unlockLow, unlockHigh, position }) === sum,
      each: (row) => {
        isNext(row);
        isInOrder(`output ${row[0]} of ${amount}`, row[2]);
        visitor.output(row[1], row[2], row[3], row[4]);
      },
    });
    visitor.endAmount(outputs);
    count += outputs;
  }
  return count;
}

function amountsOf(connection: SqliteConnection): { id: bigint; amount: bigint }[] {
  return connection
    .prepare<[], [bigint, bigint]>('SELECT id, amount FROM amounts')
    .raw(true)
    .safeIntegers(true)
    .all()
    .map(([id, stored]) => ({ id, amount: toUnsigned(stored) }))
    .sort((a, b) => (a.amount < b.amount ? -1 : 1));
}

/** A look at heights that never fall and end at the tip. */
function inOrder(problems: Problems, tip: number): (where: string, height: number) => void {
  let highest = 0;
  return (where, height) => {
    if (!(height >= highest && height <= tip)) problems.add(where, `is of block ${height}, after ${highest}`);
    else highest = height;
  };
}
