import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { isWhole } from './checksum';
import type { RunDirectory } from './directory';
import type { HashSource } from './find';
import { Fingerprints } from './fingerprint';
import { HASH_KIND_NAMES, type HashKind } from './kinds';
import { findInPage, pageId } from './page';
import { RunCache } from './run-cache';
import { SEED_BYTES, SEED_KEY } from './schema';

/**
 * Finds the rows that may have a hash. All its answers must come from one state of the file, so the caller holds a
 * transaction.
 */
export class HashLookup implements HashSource {
  private readonly recent: SqliteStatement<[number, number], [number]>;
  private readonly generation: SqliteStatement<[], [number]>;
  private readonly page: SqliteStatement<[number], [Buffer]>;
  private readonly pageOfRun: SqliteStatement<[number, number], [number, Buffer]>;
  private readonly cache: RunCache;
  private secret: Fingerprints | undefined;

  /**
   * @param directory the filters, where the writer works on this thread. They are used while they belong to the state that is
   * read; otherwise the reader goes by what it remembers itself (RunCache)
   */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly directory: () => RunDirectory | undefined = () => undefined,
  ) {
    this.recent = connection
      .prepare<[number, number], [number]>('SELECT id FROM hash_recent WHERE kind = ? AND fingerprint = ?')
      .raw(true);
    this.generation = connection.prepare<[], [number]>('SELECT generation FROM hash_state WHERE id = 1').raw(true);
    this.page = connection.prepare<[number], [Buffer]>('SELECT entries FROM hash_pages WHERE id = ?').raw(true);
    this.pageOfRun = connection
      .prepare<[number, number], [number, Buffer]>(
        'SELECT id, entries FROM hash_pages WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1',
      )
      .raw(true);
    this.cache = new RunCache(connection);
  }

  /** The secret is read when it is first needed: a damaged one is an error of the look-up and not of opening the file. */
  get fingerprints(): Fingerprints {
    return (this.secret ??= readSecret(this.connection));
  }

  /** Ids of the rows whose hash may be this one, nearly always none or one. @throws CorruptDatabase */
  candidates(kind: HashKind, hash: Buffer): number[] {
    const fingerprint = this.fingerprints.of(hash);
    const generation = this.generation.get()?.[0] ?? -1;
    const directory = this.directory();
    const recent = this.recentIds(kind, fingerprint);
    if (directory?.generation === generation) return [...recent, ...this.inRuns(kind, fingerprint, directory)];
    const { pages, runs } = this.cache.places(kind, fingerprint, generation);
    return [
      ...recent,
      ...this.inPages(kind, fingerprint, pages),
      ...runs.flatMap((run) => this.inRun(kind, run, fingerprint)),
    ];
  }

  /** Of the entries that are in no run yet. */
  recentIds(kind: HashKind, fingerprint: number): number[] {
    return this.recent.all(kind, fingerprint).map(([id]) => id);
  }

  /** Of the others. @param directory of the state that is read */
  inRuns(kind: HashKind, fingerprint: number, directory: RunDirectory): number[] {
    return this.inPages(kind, fingerprint, directory.pages(kind, fingerprint));
  }

  /** Of these pages. */
  inPages(kind: HashKind, fingerprint: number, pages: readonly number[]): number[] {
    return pages.flatMap((page) => found(kind, page, this.entriesOf(page), fingerprint));
  }

  private inRun(kind: HashKind, run: number, fingerprint: number): number[] {
    const row = this.pageOfRun.get(pageId(run, 0), pageId(run, fingerprint));
    return row === undefined ? [] : found(kind, ...row, fingerprint);
  }

  /** The bytes of a page that the directory names. */
  entriesOf(page: number): Buffer {
    const entries = this.page.get(page)?.[0];
    if (entries === undefined) throw new CorruptDatabase(`page ${page} of the hash look-ups is missing`);
    return entries;
  }
}

function found(kind: HashKind, page: number, entries: Buffer, fingerprint: number): number[] {
  const ids = findInPage(page, entries, fingerprint);
  if (ids === undefined) throw new CorruptDatabase(`a page of the look-up of ${HASH_KIND_NAMES[kind]}`);
  return ids;
}

function readSecret(connection: SqliteConnection): Fingerprints {
  const row = connection.prepare<[], [Buffer]>('SELECT seed FROM hash_state WHERE id = 1').raw(true).get();
  const seed = row?.[0];
  if (seed === undefined || !isWhole(seed, SEED_KEY)) throw new CorruptDatabase('the secret of the hash look-ups');
  return new Fingerprints(seed.subarray(0, SEED_BYTES));
}
