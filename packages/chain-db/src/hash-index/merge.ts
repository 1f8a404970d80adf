import { CorruptDatabase } from '../errors';
import type { Run } from './directory';
import { HASH_KIND_NAMES } from './kinds';
import type { HashLookup } from './lookup';
import { decodePage, type Entries, pageId } from './page';
import type { RunStore } from './run-store';

/** Reads a run from its lowest entry up. */
class Cursor {
  /** Pages that are read to their end. */
  pages = 0;
  private entries: Entries | undefined;
  private place = 0;

  constructor(
    readonly run: Run,
    private readonly lookup: HashLookup,
  ) {
    this.load();
  }

  /** Infinity at the end. */
  get fingerprint(): number {
    return this.entries === undefined ? Infinity : (this.entries.fingerprints[this.place] as number);
  }

  get id(): number {
    return this.entries?.ids[this.place] as number;
  }

  next(): void {
    this.place++;
    if (this.entries === undefined || this.place < this.entries.ids.length) return;
    this.pages++;
    this.load();
  }

  /** What is not read yet of a page that was begun. */
  get rest(): Entries | undefined {
    if (this.entries === undefined || this.place === 0) return undefined;
    return { fingerprints: this.entries.fingerprints.slice(this.place), ids: this.entries.ids.slice(this.place) };
  }

  /** Goes to the next page that has entries: a rewind can have emptied one. */
  private load(): void {
    this.place = 0;
    for (;;) {
      const first = this.run.firsts[this.pages];
      if (first === undefined) return void (this.entries = undefined);
      const { run, kind } = this.run;
      const page = pageId(run, first);
      const entries = decodePage(page, this.lookup.entriesOf(page));
      if (entries === undefined) throw new CorruptDatabase(`a page of the look-up of ${HASH_KIND_NAMES[kind]}`);
      this.entries = entries;
      if (entries.ids.length > 0) return;
      this.pages++;
    }
  }
}

/**
 * Moves the lowest entries of the runs that are being merged into `target` over to it, about `limit` of them; runs that
 * are empty then are dropped. Before and after every step each entry stands in exactly one run, so look-ups and rewinds need
 * not know that a merge is under way, and after a kill it simply goes on.
 *
 * @param sameHash whether two rows of the kind have one hash
 * @returns how many entries were moved
 * @throws CorruptDatabase when two entries say the same, or entries are out of order
 */
export function mergeStep(
  store: RunStore,
  lookup: HashLookup,
  target: Run,
  limit: number,
  sameHash: (a: number, b: number) => boolean,
): number {
  const cursors = store.directory.runs.filter((run) => run.target === target.run).map((run) => new Cursor(run, lookup));
  const fingerprints: number[] = [];
  const ids: number[] = [];
  const name = HASH_KIND_NAMES[target.kind];
  for (;;) {
    const lowest = lowestOf(cursors);
    if (lowest === undefined) break;
    const { fingerprint, id } = lowest;
    const last = fingerprints.at(-1) ?? -1;
    if (ids.length >= limit && fingerprint !== last) break;
    if (fingerprint < last) throw new CorruptDatabase(`the look-up of ${name} is out of order at ${fingerprint}`);
    for (let i = ids.length - 1; fingerprints[i] === fingerprint; i--) {
      const other = ids[i] as number;
      if (other === id || sameHash(other, id)) {
        throw new CorruptDatabase(`the look-up of ${name} has one of them twice, in rows ${other} and ${id}`);
      }
    }
    fingerprints.push(fingerprint);
    ids.push(id);
    lowest.next();
  }
  for (const { run, pages, rest } of cursors) {
    store.removeFront(run, pages, rest);
    if (run.firsts.length === 0) store.dropRun(run);
  }
  store.append(target, { fingerprints: Float64Array.from(fingerprints), ids: Uint32Array.from(ids) });
  store.nextGeneration();
  return ids.length;
}

function lowestOf(cursors: readonly Cursor[]): Cursor | undefined {
  let lowest: Cursor | undefined;
  let fingerprint = Infinity;
  for (const cursor of cursors) {
    if (cursor.fingerprint > fingerprint || cursor.fingerprint === Infinity) continue;
    if (cursor.fingerprint === fingerprint && lowest !== undefined && cursor.id > lowest.id) continue;
    lowest = cursor;
    fingerprint = cursor.fingerprint;
  }
  return lowest;
}
