import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { Fingerprints, idsOf, mayContain } from './page';
import type { HashKind } from './schema';

/** A sorted run, as the manifest stores it. */
export interface Run {
  readonly run: number;
  readonly kind: HashKind;
  readonly level: number;
  readonly entries: number;
  /** Each page covers a range of this many fingerprints, a power of two. */
  readonly width: number;
  /** The run has the fingerprints floor <= f < ceiling. */
  floor: number;
  ceiling: number;
  /** The run that this run is being merged into. */
  target?: number;
}

/** The manifest of one generation. */
export interface RunDirectory {
  generation: number;
  readonly runs: Run[];
  /** All Bloom filters for the writer, none for other readers. */
  readonly filters: Map<number, Buffer>;
}

/** Page keys are run * PAGE_LIMIT + page: safe integers for two billion runs. */
const PAGE_LIMIT = 2 ** 22;

export function pageKey({ run, width }: Run, fingerprint: number): number {
  return run * PAGE_LIMIT + Math.floor(fingerprint / width);
}

/** Number of pages that share a Bloom filter. One per page would be an object per page, with more cache misses. */
export const PAGES_PER_FILTER = 64;

export const filterKey = (key: number): number => Math.floor(key / PAGES_PER_FILTER);

/** Finds the rows that may have a hash. The caller holds a transaction: all reads must see one state of the file. */
export class HashLookup {
  private readonly generation: SqliteStatement<[], [number]>;
  private readonly page: SqliteStatement<[number], [Buffer]>;
  private known: RunDirectory | undefined;
  private seeded: Fingerprints | undefined;

  /** @param shared directory of the writer, if it runs on this thread; other generations are read without filters */
  constructor(
    protected readonly connection: SqliteConnection,
    private readonly shared: () => RunDirectory | undefined = () => undefined,
  ) {
    this.generation = connection.prepare<[], [number]>('SELECT generation FROM hash_state').raw(true);
    this.page = connection.prepare<[number], [Buffer]>('SELECT entries FROM hash_pages WHERE id = ?').raw(true);
  }

  get fingerprints(): Fingerprints {
    return (this.seeded ??= new Fingerprints(readDirectory(this.connection, false).seed));
  }

  /** Ids of the rows that may have this hash, nearly always none or one. @throws CorruptDatabase */
  candidates(kind: HashKind, hash: Buffer): number[] {
    const fingerprint = this.fingerprints.of(hash);
    return this.pagesOf(kind, fingerprint).flatMap((key) => idsOf(this.entriesOf(key), fingerprint));
  }

  /** @throws CorruptDatabase if the page is missing */
  entriesOf(key: number): Uint32Array {
    const page = this.page.get(key)?.[0];
    if (page === undefined) throw new CorruptDatabase(`page ${key} of the hash look-ups is missing`);
    return new Uint32Array(page.buffer, page.byteOffset, page.length / 4);
  }

  /** Keys of the pages that may hold a fingerprint, at most one per run. */
  protected pagesOf(kind: HashKind, fingerprint: number): number[] {
    const { runs, filters } = this.directory;
    const keys: number[] = [];
    for (const run of runs) {
      if (run.kind !== kind || fingerprint < run.floor || fingerprint >= run.ceiling) continue;
      const key = pageKey(run, fingerprint);
      const filter = filters.get(filterKey(key));
      if (filter === undefined || mayContain(filter, fingerprint)) keys.push(key);
    }
    return keys;
  }

  /** The state that the transaction reads. @throws CorruptDatabase */
  get directory(): RunDirectory {
    const generation = this.generation.get()?.[0];
    const current = [this.shared(), this.known].find((one) => one?.generation === generation);
    return current ?? (this.known = readDirectory(this.connection, false));
  }
}

/** Reads the manifest and the seed, and all Bloom filters if wanted: 1.6 bytes per entry. @throws CorruptDatabase */
export function readDirectory(connection: SqliteConnection, withFilters: boolean): RunDirectory & { seed: Buffer } {
  const state = connection.prepare<[], [Buffer, number, string]>('SELECT seed, generation, manifest FROM hash_state');
  const [row] = state.raw(true).all();
  if (row === undefined) throw new CorruptDatabase('the manifest of the hash look-ups is missing');
  const [seed, generation, manifest] = row;
  const directory = { seed, generation, runs: JSON.parse(manifest) as Run[], filters: new Map<number, Buffer>() };
  if (!withFilters) return directory;
  const known = new Set(directory.runs.map(({ run }) => run));
  const filters = connection.prepare<[], [number, Buffer]>('SELECT id, bits FROM hash_filters').raw(true);
  for (const [key, bits] of filters.iterate()) {
    const isKnown = known.has(Math.floor((key * PAGES_PER_FILTER) / PAGE_LIMIT));
    if (!isKnown) throw new CorruptDatabase(`the run of filter ${key} of the hash look-ups is missing`);
    directory.filters.set(key, bits);
  }
  return directory;
}
