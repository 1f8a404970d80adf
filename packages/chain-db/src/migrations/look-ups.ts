import { parseTransaction } from '@wrkz/core-types';
import type { MigrationBatch, MigrationCursor, SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/kinds';
import { sameHashIn } from '../hash-index/same-hash';
import { createHashIndexes } from '../hash-index/schema';
import { KEY_IMAGE_SCHEMA, KeyImageStore } from '../key-images';

/** Blocks that a batch takes over, and transactions, whichever comes first. */
const BATCH_BLOCKS = 2000;
const BATCH_TRANSACTIONS = 4000;

/** Where the key images of the first schema wait until all are taken over. */
const OLD_KEY_IMAGES = 'first_key_images';

/**
 * One batch of giving a file of the first schema its hash look-ups, and its key images in chain order: they are read from the
 * bodies, in which they stand so, and counted against the table that held them by image. The cursor is the next height.
 *
 * @throws CorruptDatabase when bodies and key images of the file do not agree
 */
export function takeOverLookUps(connection: SqliteConnection, cursor: MigrationCursor | undefined): MigrationBatch {
  const total = number(connection, 'SELECT count(*) FROM blocks');
  if (cursor === undefined) {
    connection.exec(`ALTER TABLE key_images RENAME TO ${OLD_KEY_IMAGES}; ${KEY_IMAGE_SCHEMA}`);
    connection.exec('DROP INDEX IF EXISTS blocks_by_hash; DROP INDEX IF EXISTS transactions_by_hash;');
    createHashIndexes(connection);
    return { next: 0, done: 0, total };
  }
  const taker = new Taker(connection);
  const first = Number(cursor);
  let height = first;
  while (height < Math.min(total, first + BATCH_BLOCKS) && taker.transactions < BATCH_TRANSACTIONS)
    taker.block(height++);
  taker.finish();
  if (height < total) return { next: height, done: height, total };
  const [found, wanted] = ['key_images', OLD_KEY_IMAGES].map((table) =>
    number(connection, `SELECT count(*) FROM ${table}`),
  );
  if (found !== wanted) throw new CorruptDatabase(`${wanted} key images are stored, the blocks spend ${found}`);
  connection.exec(`DROP TABLE ${OLD_KEY_IMAGES}`);
  return { next: undefined, done: total, total };
}

class Taker {
  transactions = 0;
  private readonly hashes: HashIndex;
  private readonly keyImages: KeyImageStore;
  private readonly blockAt: SqliteStatement<[number], [Buffer]>;
  private readonly transactionsOf: SqliteStatement<[number, number], [number, Buffer, Buffer | null]>;
  private readonly generated: SqliteStatement<[number], [number]>;

  constructor(connection: SqliteConnection) {
    this.hashes = new HashIndex(connection, sameHashIn(connection));
    this.keyImages = new KeyImageStore(connection, this.hashes);
    this.blockAt = connection.prepare<[number], [Buffer]>('SELECT hash FROM blocks WHERE height = ?').raw(true);
    this.generated = connection
      .prepare<[number], [number]>('SELECT generated_transactions FROM blocks WHERE height = ?')
      .raw(true);
    this.transactionsOf = connection
      .prepare<[number, number], [number, Buffer, Buffer | null]>(
        `SELECT t.id, t.hash, b.body FROM transactions t LEFT JOIN transaction_bodies b ON b.id = t.id
         WHERE t.id >= ? AND t.id < ? ORDER BY t.id`,
      )
      .raw(true);
  }

  block(height: number): void {
    const [hash] = this.require(this.blockAt.get(height), height);
    const [end] = this.require(this.generated.get(height), height);
    const first = height === 0 ? 0 : this.require(this.generated.get(height - 1), height - 1)[0];
    this.hashes.add(HASH_KINDS.block, hash, height);
    for (const [id, transactionHash, body] of this.transactionsOf.all(first, end)) {
      this.hashes.add(HASH_KINDS.transaction, transactionHash, id);
      this.transactions++;
      if (body === null) continue; // A coinbase, which spends nothing.
      for (const input of parseTransaction(body).transaction.inputs) {
        if (input.type === 'key') this.keyImages.put(input.keyImage, height);
      }
    }
  }

  finish(): void {
    this.hashes.flush();
    while (this.hashes.isMergeDue) this.hashes.merge();
  }

  private require<T>(row: T | undefined, height: number): T {
    if (row === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    return row;
  }
}

function number(connection: SqliteConnection, sql: string): number {
  return connection.prepare<[], [number]>(sql).raw(true).get()?.[0] ?? 0;
}
