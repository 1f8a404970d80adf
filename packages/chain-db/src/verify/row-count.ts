import type { SqliteConnection } from '@wrkz/sqlite';
import { PAYMENT_ID_TABLES } from '../payment-ids/schema';

/** Rows that are counted between two turns of others. */
const ROWS = 20_000;

/** The column by which a table's rows are numbered; `outputs` are numbered by amount, the others are small. */
const NUMBERED: Readonly<Record<string, string>> = {
  blocks: 'height',
  block_bodies: 'height',
  transactions: 'id',
  signatures: 'id',
  key_images: 'id',
  ...Object.fromEntries(PAYMENT_ID_TABLES.map((table) => [table, 'id'])),
};

/** Counts the rows of a table, also those that nobody would ask for, in steps of some milliseconds. */
export function* countRows(connection: SqliteConnection, table: string): Generator<void, number> {
  if (table === 'outputs') return yield* countOutputs(connection);
  const column = NUMBERED[table];
  if (column === undefined) return countWhere(connection, table, '1');
  const past = connection.prepare<[], [number]>(`SELECT coalesce(max(${column}), -1) + 1 FROM ${table}`).raw(true);
  return yield* countBetween(connection, table, '1', column, past.get()?.[0] ?? 0);
}

function* countOutputs(connection: SqliteConnection): Generator<void, number> {
  const amounts = connection
    .prepare<[], [number, number]>(
      'SELECT id, (SELECT max(global_index) FROM outputs WHERE amount_id = id) FROM amounts',
    )
    .raw(true)
    .all();
  let rows = 0;
  for (const [id, highest] of amounts) {
    rows += yield* countBetween(connection, 'outputs', `amount_id = ${id}`, 'global_index', (highest ?? -1) + 1);
  }
  // Those of amounts that are none: between two that are, and below and above all.
  const ids = amounts.map(([id]) => id).sort((a, b) => a - b);
  let below = '1';
  for (const id of ids) {
    rows += countWhere(connection, 'outputs', `${below} AND amount_id < ${id}`);
    below = `amount_id > ${id}`;
    yield;
  }
  return rows + countWhere(connection, 'outputs', below);
}

function* countBetween(
  connection: SqliteConnection,
  table: string,
  where: string,
  column: string,
  past: number,
): Generator<void, number> {
  const between = connection
    .prepare<[number, number], [number]>(
      `SELECT count(*) FROM ${table} WHERE ${where} AND ${column} >= ? AND ${column} < ?`,
    )
    .raw(true);
  let rows = countWhere(connection, table, `${where} AND ${column} < 0`);
  // A damaged number may be beyond all others: what lies between is not walked step by step.
  const steps = Math.min(past, Number.MAX_SAFE_INTEGER);
  for (let start = 0; start < steps;) {
    rows += between.get(start, start + ROWS)?.[0] ?? 0;
    start += ROWS;
    const next = connection
      .prepare<[number], [number | null]>(`SELECT min(${column}) FROM ${table} WHERE ${where} AND ${column} >= ?`)
      .raw(true)
      .get(start)?.[0];
    if (next === null || next === undefined) break;
    start = next;
    yield;
  }
  return rows;
}

function countWhere(connection: SqliteConnection, table: string, where: string): number {
  return connection.prepare<[], [number]>(`SELECT count(*) FROM ${table} WHERE ${where}`).raw(true).get()?.[0] ?? 0;
}
