import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from './errors';
import type { HashLookup } from './hash-index/lookup';
import { HASH_KIND_NAMES, HASH_KINDS, type HashKind } from './hash-index/schema';

/** The lookup of a reader, or of the writer, which includes the entries of the current change. */
export type HashSource = Pick<HashLookup, 'fingerprints' | 'candidates'>;

/** Table, row id and hash columns of each kind. */
const HASHED_ROWS: Readonly<Record<HashKind, { table: string; id: string; columns: readonly string[] }>> = {
  [HASH_KINDS.block]: { table: 'blocks', id: 'height', columns: ['hash'] },
  [HASH_KINDS.transaction]: { table: 'transactions', id: 'id', columns: ['hash'] },
  [HASH_KINDS.keyImage]: { table: 'key_images', id: 'id', columns: ['image'] },
  [HASH_KINDS.paymentId]: { table: 'payment_ids', id: 'id', columns: ['payment_id', 'use'] },
};

/** Compares the hashes of two rows of a kind. Statements are prepared on first use: not every file has all tables. */
export function sameHashIn(connection: SqliteConnection): (kind: HashKind, a: number, b: number) => boolean {
  const statements = new Map<HashKind, SqliteStatement<[number, number], [number]>>();
  const prepare = (kind: HashKind): SqliteStatement<[number, number], [number]> => {
    const { table, id, columns } = HASHED_ROWS[kind];
    const equal = columns.map((column) => `a.${column} = b.${column}`).join(' AND ');
    const statement = connection
      .prepare<[number, number], [number]>(
        `SELECT ${equal} FROM ${table} a, ${table} b WHERE a.${id} = ? AND b.${id} = ?`,
      )
      .raw(true);
    statements.set(kind, statement);
    return statement;
  };
  return (kind, a, b) => (statements.get(kind) ?? prepare(kind)).get(a, b)?.[0] === 1;
}

/**
 * Finds the row of a hash.
 *
 * @param hashOf the hash of a row; undefined if there is no such row
 * @throws CorruptDatabase if a row has another fingerprint: the result "not found" could allow a double spend
 */
export function findRow(
  source: HashSource,
  kind: HashKind,
  hash: Buffer,
  hashOf: (id: number) => Buffer | undefined,
): number | undefined {
  for (const id of source.candidates(kind, hash)) {
    const found = hashOf(id);
    if (found === undefined) continue;
    if (found.equals(hash)) return id;
    if (source.fingerprints.of(found) !== source.fingerprints.of(hash)) {
      throw new CorruptDatabase(`the look-up of ${HASH_KIND_NAMES[kind]} leads to row ${id}, which has another one`);
    }
  }
  return undefined;
}
