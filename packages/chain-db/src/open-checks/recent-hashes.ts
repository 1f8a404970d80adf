import type { SqliteConnection } from '@wrkz/sqlite';
import { damageIn } from '../damage';
import { BelowFloor, CorruptDatabase } from '../errors';
import { RunDirectory } from '../hash-index/directory';
import { HASH_KIND_NAMES, HASH_KINDS, type HashKind } from '../hash-index/kinds';
import { HashLookup } from '../hash-index/lookup';
import { HASHED_ROWS } from '../hash-index/same-hash';
import type { ChainReader } from '../reader/reader';
import { keyImageChecksum, paymentIdChecksum } from '../rows/checksums';

/**
 * Looks whether the hash look-ups know the newest rows. Entries that are in runs stand in pages with checksums; those that
 * are in no run yet have none, and one that is lost answers "unknown", which no row contradicts: an output could be spent
 * twice. Rows are numbered in chain order and runs take the oldest entries, so the entries outside of runs are those of the
 * highest rows, without a gap, and the row below them stands in a run. A lite node has one gap, above the transaction of
 * genesis.
 *
 * Up to 16,384 rows a kind are looked up, some 50 ms each.
 *
 * @throws CorruptDatabase
 */
export function checkRecentHashes(connection: SqliteConnection, reader: ChainReader): void {
  const directory = RunDirectory.load(connection);
  const lookup = new HashLookup(connection, () => directory);
  for (const kind of Object.values(HASH_KINDS)) checkKind(connection, reader, lookup, directory, kind);
}

function checkKind(
  connection: SqliteConnection,
  reader: ChainReader,
  lookup: HashLookup,
  directory: RunDirectory,
  kind: HashKind,
): void {
  const { table, id, columns, hashOf } = HASHED_ROWS[kind];
  const numberOf = (sql: string): number => connection.prepare<[], [number]>(sql).raw(true).get()?.[0] ?? 0;
  const rows = numberOf(`SELECT coalesce(max(${id}), -1) + 1 FROM ${table}`);
  const recent = numberOf(`SELECT count(*) FROM hash_recent WHERE kind = ${kind}`);
  const { first, below } = newestRows(rows, recent, kind === HASH_KINDS.transaction ? firstRecord(reader) : 1);
  const lost = (row: number): CorruptDatabase =>
    new CorruptDatabase(`row ${row} is missing in the look-up of ${HASH_KIND_NAMES[kind]}`);
  if (first < 0)
    throw new CorruptDatabase(`the look-up of ${HASH_KIND_NAMES[kind]} has more entries than there are rows`);
  const newest = connection
    .prepare<[number], [number, ...unknown[]]>(
      `SELECT ${[id, ...columns].join(', ')} FROM ${table} WHERE ${id} >= ? ORDER BY ${id}`,
    )
    .raw(true);
  for (const [row, ...values] of newest.iterate(Math.max(below, 0))) {
    const hash = hashOf(...values);
    // A row that is damaged so far tells so itself when it is read.
    if (hash === undefined) continue;
    const fingerprint = lookup.fingerprints.of(hash);
    const found = row < first ? lookup.inRuns(kind, fingerprint, directory) : lookup.recentIds(kind, fingerprint);
    if (!found.includes(row) && isSound(connection, reader, kind, row)) throw lost(row);
  }
}

/**
 * Which rows are the newest `recent` ones, and the one before them (-1: none), where ids 1 to `gapEnd` - 1 are not used.
 * `first` is below 0 when there are not so many.
 */
function newestRows(rows: number, recent: number, gapEnd: number): { first: number; below: number } {
  const first = rows - recent;
  if (first > gapEnd || gapEnd <= 1) return { first, below: first - 1 };
  if (first === gapEnd) return { first, below: 0 };
  return { first: first - (gapEnd - 1), below: first - gapEnd };
}

/** The lowest id of a transaction above genesis. Up to its height a lite node has none. */
function firstRecord(reader: ChainReader): number {
  const { records } = reader.floors();
  return reader.height() < records ? 1 : (reader.blockStamps(records - 1, records)[0]?.generatedTransactions ?? 1);
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
