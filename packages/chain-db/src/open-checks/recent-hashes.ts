import type { SqliteConnection } from '@wrkz/sqlite';
import { damageIn } from '../damage';
import { BelowFloor, CorruptDatabase } from '../errors';
import { HashLookup, type RunDirectory } from '../hash-index/lookup';
import { HASH_KIND_NAMES, HASH_KINDS, type HashKind } from '../hash-index/schema';
import type { ChainReader } from '../reader/reader';
import { keyImageChecksum, paymentIdChecksum } from '../rows/checksums';
import { HASHED_ROWS } from '../rows/hashed-rows';

/** Rows of each kind that an open looks up by their hashes. */
const NEWEST_ROWS = 1_000;

/**
 * Looks up the newest rows of each kind by their hashes. A disk that loses its last writes can leave pages whose checksums
 * fit and whose entries are old; a look-up would answer "unknown", and an output could be spent twice.
 *
 * @param directory the writer's; without it each look-up reads one page per run
 * @throws CorruptDatabase
 */
export function checkRecentHashes(connection: SqliteConnection, reader: ChainReader, directory?: RunDirectory): void {
  const lookup = new HashLookup(connection, () => directory);
  for (const kind of Object.values(HASH_KINDS)) {
    const { table, id, columns, hashOf } = HASHED_ROWS[kind];
    const newest = connection
      .prepare<[], [number, ...unknown[]]>(
        `SELECT ${[id, ...columns].join(', ')} FROM ${table} ORDER BY ${id} DESC LIMIT ${NEWEST_ROWS}`,
      )
      .raw(true);
    for (const [row, ...values] of newest.all()) {
      const hash = hashOf(...values);
      // The read of a damaged row reports it.
      if (hash === undefined || lookup.candidates(kind, hash).includes(row)) continue;
      if (!isSound(connection, reader, kind, row)) continue;
      throw new CorruptDatabase(`row ${row} is missing in the look-up of ${HASH_KIND_NAMES[kind]}`);
    }
  }
}

/** Whether a row is what was written: one that is not tells so itself whenever it is read, and is not what is asked here. */
function isSound(connection: SqliteConnection, reader: ChainReader, kind: HashKind, row: number): boolean {
  if (kind === HASH_KINDS.keyImage) {
    const stored = connection
      .prepare<[number], [Buffer, number, number]>('SELECT image, height, checksum FROM key_images WHERE id = ?')
      .raw(true)
      .get(row);
    return stored !== undefined && keyImageChecksum(row, stored[0], stored[1]) === stored[2];
  }
  if (kind === HASH_KINDS.paymentId) {
    const stored = connection
      .prepare<[number], [Buffer, number, number, number]>(
        'SELECT payment_id, use, transaction_id, checksum FROM payment_ids WHERE id = ?',
      )
      .raw(true)
      .get(row);
    return stored !== undefined && paymentIdChecksum(row, stored[0], stored[1], stored[2]) === stored[3];
  }
  try {
    if (kind === HASH_KINDS.block) reader.facts(row);
    else reader.scanTransactions(row, row + 1);
    return true;
  } catch (error) {
    // One where a lite node has none is damage, too.
    if (damageIn(error) === undefined && !(error instanceof BelowFloor)) throw error;
    return false;
  }
}
