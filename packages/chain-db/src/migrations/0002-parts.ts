import { parseBlock, parseTransaction, type ParsedTransaction } from '@wrkz/core-types';
import type { BatchedMigration, MigrationBatch, MigrationCursor, SqliteConnection } from '@wrkz/sqlite';
import { blockBody, signaturesOf } from '../block-parts';
import { CorruptDatabase } from '../errors';
import { createHashIndexes } from '../hash-index/schema';
import { packIndexes } from '../integers';
import { writeMeta, type MetaKey } from '../meta';
import { FirstSchema, type FirstBlock } from './first-schema';
import { SecondSchema } from './second-schema';
import { SECOND_SCHEMA } from './second-tables';

/** Bytes of blocks that a batch takes over, and blocks, whichever comes first. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_BLOCKS = 150;

/**
 * The second schema: signatures apart from prefixes, outputs that stand alone, a codec and a checksum with each row. The
 * first batch puts the old tables aside; each further one takes blocks over in chain order; the last one takes over the
 * alternatives and drops the old tables, which are whole until then.
 *
 * The cursor is the next height to take over. When the step is complete the file is laid out anew (see layout.ts).
 */
export const parts: BatchedMigration = { version: 2, name: 'parts', batch };

function batch(connection: SqliteConnection, cursor: MigrationCursor | undefined): MigrationBatch {
  if (cursor === undefined) {
    putAside(connection);
    const total = new FirstSchema(connection).count();
    return total === 0 ? finish(connection, 0) : { next: 0, done: 0, total };
  }
  const from = new FirstSchema(connection);
  const to = new SecondSchema(connection);
  const total = from.count();
  let height = Number(cursor);
  for (let bytes = 0, end = height + BATCH_BLOCKS; height < Math.min(end, total) && bytes < BATCH_BYTES; height++) {
    bytes += takeOver(from.block(height), to);
  }
  to.flush();
  return height < total ? { next: height, done: height, total } : finish(connection, total);
}

function putAside(connection: SqliteConnection): void {
  connection.exec('DROP INDEX blocks_by_hash; DROP INDEX transactions_by_hash;');
  for (const table of FirstSchema.tables) connection.exec(`ALTER TABLE ${table} RENAME TO first_${table}`);
  connection.exec(SECOND_SCHEMA);
  createHashIndexes(connection);
  connection.exec('INSERT INTO amounts (id, amount) SELECT id, amount FROM first_amounts');
  const meta = connection.prepare<[], [MetaKey, string]>('SELECT key, value FROM first_meta').raw(true).all();
  for (const [key, value] of meta) writeMeta(connection, key, value);
}

/** @returns bytes of the block */
function takeOver(block: FirstBlock, to: SecondSchema): number {
  const { facts, timestampLag, firstId, body, rows } = block;
  const parsed = parseBlock(body);
  const transactions = rows.flatMap((row) => (row.body === undefined ? [] : [parseTransaction(row.body)]));
  to.block(facts, timestampLag);
  to.body(facts.height, blockBody(parsed, transactions));
  [parsed.coinbase, ...transactions].forEach((transaction, i) => {
    takeOverTransaction(firstId + i, transaction, facts.height, rows[i]?.globalIndexes ?? [], to);
  });
  return transactions.reduce((bytes, { size }) => bytes + size, body.length);
}

function takeOverTransaction(
  id: number,
  parsed: ParsedTransaction,
  height: number,
  indexes: readonly number[],
  to: SecondSchema,
): void {
  const { inputs, outputs, unlockTime } = parsed.transaction;
  to.transaction(id, parsed.hash, height, packIndexes(indexes), parsed.prefixBytes);
  outputs.forEach(({ amount, key }, position) => {
    to.output(amount, indexes[position] as number, { key, height, unlockTime, position });
  });
  for (const input of inputs) {
    if (input.type === 'key') to.keyImage(input.keyImage, height);
  }
  const signatures = signaturesOf(parsed);
  if (signatures.length > 0) to.signatures(id, signatures);
}

/** @throws CorruptDatabase when the blocks spend other key images than were stored */
function finish(connection: SqliteConnection, total: number): MigrationBatch {
  const [stored, spent] = ['first_key_images', 'key_images'].map((table) =>
    connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get(),
  );
  if (stored?.[0] !== spent?.[0]) {
    throw new CorruptDatabase(`${stored?.[0]} key images are stored, the blocks spend ${spent?.[0]}`);
  }
  new FirstSchema(connection).alternatives((facts, parent, body) =>
    new SecondSchema(connection).alternative(facts, parent, body),
  );
  for (const table of FirstSchema.tables) connection.exec(`DROP TABLE first_${table}`);
  return { next: undefined, done: total, total };
}
