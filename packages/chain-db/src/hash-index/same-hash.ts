import type { SqliteConnection } from '@wrkz/sqlite';
import { HASH_KINDS, type HashKind } from './kinds';

/** Where the hashes of a kind stand. */
export const HASH_COLUMNS: Readonly<Record<HashKind, { table: string; id: string; hash: string }>> = {
  [HASH_KINDS.block]: { table: 'blocks', id: 'height', hash: 'hash' },
  [HASH_KINDS.transaction]: { table: 'transactions', id: 'id', hash: 'hash' },
  [HASH_KINDS.keyImage]: { table: 'key_images', id: 'id', hash: 'image' },
};

/** Answers whether two rows of a kind have one hash. */
export function sameHashIn(connection: SqliteConnection): (kind: HashKind, a: number, b: number) => boolean {
  const statements = Object.values(HASH_COLUMNS).map(({ table, id, hash }) =>
    connection
      .prepare<[number, number], [number]>(
        `SELECT a.${hash} = b.${hash} FROM ${table} a, ${table} b WHERE a.${id} = ? AND b.${id} = ?`,
      )
      .raw(true),
  );
  return (kind, a, b) => statements[kind]?.get(a, b)?.[0] === 1;
}
