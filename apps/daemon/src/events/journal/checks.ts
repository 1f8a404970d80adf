import type { SqliteConnection } from '@wrkz/sqlite';
import { followedChecksum, DamagedJournal } from './checksums';
import { checkedEntry, readState } from './reading';

/** Entries that are looked at when a journal is opened: the newest ones, which a kill or a power cut may have met. */
const NEWEST = 1_000;

/** Looks whether a journal that was opened can be gone on with. @throws DamagedJournal */
export function checkNewest(connection: SqliteConnection): void {
  const { last } = readState(connection);
  const entries = connection
    .prepare<[number], [number, number, number, string, number]>(
      'SELECT number, topic, time, body, checksum FROM entries ORDER BY number DESC LIMIT ?',
    )
    .raw(true);
  for (const row of entries.iterate(NEWEST)) {
    if (checkedEntry(row).number > last) throw new DamagedJournal(`entry ${row[0]} is above the last number ${last}`);
  }
  const blocks = connection
    .prepare<[], [number, Buffer, number]>('SELECT height, hash, checksum FROM main_chain ORDER BY height')
    .raw(true);
  let above: number | undefined;
  for (const [height, hash, checksum] of blocks.iterate()) {
    if (followedChecksum(height, hash) !== checksum || (above !== undefined && height !== above)) {
      throw new DamagedJournal(`block ${height} of the journal is damaged`);
    }
    above = height + 1;
  }
}
