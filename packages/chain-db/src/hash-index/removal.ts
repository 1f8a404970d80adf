import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { HASH_KIND_NAMES, type HashKind } from './kinds';
import type { HashLookup } from './lookup';
import { decodePage, type Entries } from './page';
import type { RunStore } from './run-store';

/** Pages that are changed in memory before they are written. */
const OPEN_PAGES = 1000;

export interface Entry {
  readonly fingerprint: number;
  readonly id: number;
}

/** Takes entries out, wherever they stand. Those in runs are taken page by page, so that a long rewind writes each once. */
export class Removal {
  private readonly deleteRecent: SqliteStatement<[number, number, number]>;
  private readonly pages = new Map<number, { readonly entries: Entries; readonly gone: Set<number> }>();

  constructor(
    connection: SqliteConnection,
    private readonly lookup: HashLookup,
    private readonly store: RunStore,
  ) {
    this.deleteRecent = connection.prepare('DELETE FROM hash_recent WHERE kind = ? AND fingerprint = ? AND id = ?');
  }

  /**
   * The caller holds the transaction.
   * @returns how many of them stood among the recent ones
   * @throws CorruptDatabase when one is not there
   */
  remove(kind: HashKind, entries: readonly Entry[]): number {
    let recent = 0;
    for (const entry of [...entries].sort((a, b) => a.fingerprint - b.fingerprint)) {
      if (this.deleteRecent.run(kind, entry.fingerprint, entry.id).changes === 1) recent++;
      else this.removeFromRun(kind, entry);
      if (this.pages.size >= OPEN_PAGES) this.write();
    }
    this.write();
    return recent;
  }

  private removeFromRun(kind: HashKind, { fingerprint, id }: Entry): void {
    for (const page of this.store.directory.pages(kind, fingerprint)) {
      const { entries, gone } = this.open(kind, page);
      const place = placeOf(entries, fingerprint, id);
      if (place < 0 || gone.has(place)) continue;
      gone.add(place);
      return;
    }
    throw new CorruptDatabase(`row ${id} is missing in the look-up of ${HASH_KIND_NAMES[kind]}`);
  }

  private open(kind: HashKind, page: number) {
    const known = this.pages.get(page);
    if (known !== undefined) return known;
    const entries = decodePage(page, this.lookup.entriesOf(page));
    if (entries === undefined) throw new CorruptDatabase(`a page of the look-up of ${HASH_KIND_NAMES[kind]}`);
    const opened = { entries, gone: new Set<number>() };
    this.pages.set(page, opened);
    return opened;
  }

  private write(): void {
    for (const [page, { entries, gone }] of this.pages) {
      if (gone.size === 0) continue;
      const stays = (_: number, place: number): boolean => !gone.has(place);
      this.store.replacePage(page, {
        fingerprints: entries.fingerprints.filter(stays),
        ids: entries.ids.filter(stays),
      });
    }
    this.pages.clear();
  }
}

function placeOf({ fingerprints, ids }: Entries, fingerprint: number, id: number): number {
  let place = fingerprints.indexOf(fingerprint);
  while (place >= 0 && ids[place] !== id) place = fingerprints.indexOf(fingerprint, place + 1);
  return place;
}
