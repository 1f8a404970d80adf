import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { useHash } from '../payment-ids/use-hash';
import { HASH_KINDS, type HashKind } from './kinds';

/** Where the hashes of a kind stand: in a column, or to be made of several. */
interface HashedRows {
  readonly table: string;
  readonly id: string;
  readonly columns: readonly string[];
  /** undefined where damage has made something else of the columns, whatever the table says. */
  readonly hashOf: (...columns: readonly unknown[]) => Buffer | undefined;
}

export const HASHED_ROWS: Readonly<Record<HashKind, HashedRows>> = {
  [HASH_KINDS.block]: { table: 'blocks', id: 'height', columns: ['hash'], hashOf: itself },
  [HASH_KINDS.transaction]: { table: 'transactions', id: 'id', columns: ['hash'], hashOf: itself },
  [HASH_KINDS.keyImage]: { table: 'key_images', id: 'id', columns: ['image'], hashOf: itself },
  [HASH_KINDS.paymentId]: { table: 'payment_ids', id: 'id', columns: ['payment_id', 'use'], hashOf: ofUse },
};

function itself(hash: unknown): Buffer | undefined {
  return is32Bytes(hash) ? hash : undefined;
}

function ofUse(paymentId: unknown, use: unknown): Buffer | undefined {
  const isNumber = typeof use === 'number' && Number.isInteger(use) && use >= 0 && use < 2 ** 32;
  return is32Bytes(paymentId) && isNumber ? useHash(paymentId, use) : undefined;
}

const is32Bytes = (value: unknown): value is Buffer => Buffer.isBuffer(value) && value.length === 32;

/** Answers whether two rows of a kind have one hash. Tables of kinds that are never asked for need not be there. */
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
