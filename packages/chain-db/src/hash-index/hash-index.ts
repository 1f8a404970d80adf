import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { RunDirectory, type Run } from './directory';
import { ExpectedHashes } from './expected';
import type { HashSource } from './find';
import type { Fingerprints } from './fingerprint';
import { HASH_KINDS, type HashKind } from './kinds';
import { HashLookup } from './lookup';
import { mergeStep } from './merge';
import { ID_LIMIT, PAGE_ENTRIES } from './page';
import { PendingEntries } from './pending';
import { Removal, type Entry } from './removal';
import { RunStore } from './run-store';

/** How the entries are kept; other numbers are for tests. */
export interface HashIndexLimits {
  /** Entries of a kind outside of runs; once there are so many they become one. */
  readonly recent: number;
  /** Runs of a level that are merged into one of the next. */
  readonly fanIn: number;
  /** Entries that one step of a merge moves: some 40 ms of work. */
  readonly step: number;
  /** Entries of a page. */
  readonly page: number;
}

export const HASH_INDEX_LIMITS: HashIndexLimits = {
  recent: 16_384,
  fanIn: 8,
  step: 146 * PAGE_ENTRIES,
  page: PAGE_ENTRIES,
};

/** For each new entry so many may be moved: more than the levels that a chain of any length comes to. */
const MOVES_PER_ENTRY = 8;

const KINDS: readonly HashKind[] = Object.values(HASH_KINDS);

/**
 * The writing side of the hash look-ups. What a change adds waits in memory, where it is found like all the rest, and
 * reaches the file with {@link flush} at the end of the change's own transaction; merging is done in steps between changes,
 * each a transaction of its own.
 *
 * After a rollback {@link rolledBack} must be called.
 */
export class HashIndex implements HashSource {
  private directoryNow: RunDirectory | undefined;
  private store: RunStore | undefined;
  private readonly lookup: HashLookup;
  private readonly insertRecent: SqliteStatement<[number, number, number]>;
  private readonly recentOf: SqliteStatement<[number], [number, number]>;
  private readonly countRecent: SqliteStatement<[number], [number]>;
  private readonly deleteRecent: SqliteStatement<[number]>;
  private readonly pending = new Map<HashKind, PendingEntries>(KINDS.map((kind) => [kind, new PendingEntries()]));
  private readonly removed = new Map<HashKind, Entry[]>();
  /** Entries outside of runs, as far as they have been counted. */
  private readonly recent = new Map<HashKind, number>();
  /** Their fingerprints, some of which may have been taken out: what is not in here needs not be looked up. */
  private readonly recentFingerprints = new Map<HashKind, Set<number>>();
  private expected: ExpectedHashes | undefined;
  /** Entries that may still be moved. */
  private credit = 0;

  /** @param sameHash whether two rows of a kind have one hash */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly sameHash: (kind: HashKind, a: number, b: number) => boolean,
    private readonly limits = HASH_INDEX_LIMITS,
  ) {
    this.lookup = new HashLookup(connection);
    this.insertRecent = connection.prepare('INSERT INTO hash_recent (kind, fingerprint, id) VALUES (?, ?, ?)');
    this.recentOf = connection
      .prepare<[number], [number, number]>('SELECT fingerprint, id FROM hash_recent WHERE kind = ?')
      .raw(true);
    this.countRecent = connection
      .prepare<[number], [number]>('SELECT count(*) FROM hash_recent WHERE kind = ?')
      .raw(true);
    this.deleteRecent = connection.prepare('DELETE FROM hash_recent WHERE kind = ?');
  }

  /** The filters of the committed state, for readers of this thread. @throws CorruptDatabase */
  get directory(): RunDirectory {
    return (this.directoryNow ??= RunDirectory.load(this.connection));
  }

  get fingerprints(): Fingerprints {
    return this.lookup.fingerprints;
  }

  /** Ids of the rows whose hash may be this one, what is not yet written included. */
  candidates(kind: HashKind, hash: Buffer): number[] {
    const fingerprint = this.lookup.fingerprints.of(hash);
    const pending = this.of(kind).ids(fingerprint);
    const recent = this.fingerprintsOfRecent(kind).has(fingerprint) ? this.lookup.recentIds(kind, fingerprint) : [];
    const { directory } = this;
    const pages = this.expected?.pages(kind, fingerprint, directory.generation) ?? directory.pages(kind, fingerprint);
    return [...pending, ...recent, ...this.lookup.inPages(kind, fingerprint, pages)];
  }

  /** These hashes are about to be asked for, in any order: {@link candidates} has them sooner until the runs change. */
  expect(kind: HashKind, hashes: readonly Buffer[]): void {
    this.expected = ExpectedHashes.find(kind, hashes, this.fingerprints, this.directory);
  }

  /** Row `id` has this hash. */
  add(kind: HashKind, hash: Buffer, id: number): void {
    if (!(id >= 0 && id < ID_LIMIT)) throw new RangeError(`row ${id} of a look-up by hash`);
    this.of(kind).add(this.lookup.fingerprints.of(hash), id);
  }

  /** Row `id`, which had this hash, is no more. It must have been written before this change began. */
  remove(kind: HashKind, hash: Buffer, id: number): void {
    const list = this.removed.get(kind);
    const entry = { fingerprint: this.lookup.fingerprints.of(hash), id };
    if (list === undefined) this.removed.set(kind, [entry]);
    else list.push(entry);
  }

  /** Writes what was removed and added. The caller holds the transaction. @throws CorruptDatabase */
  flush(): void {
    for (const [kind, entries] of this.removed) this.removeAll(kind, entries);
    this.removed.clear();
    this.expected = undefined;
    for (const kind of KINDS) {
      const pending = this.of(kind);
      if (pending.size === 0) continue;
      this.credit += pending.size * MOVES_PER_ENTRY;
      this.write(kind, pending);
      pending.clear();
    }
  }

  /** Forgets what was not committed. */
  rolledBack(): void {
    for (const pending of this.pending.values()) pending.clear();
    this.removed.clear();
    this.recent.clear();
    this.recentFingerprints.clear();
    this.expected = undefined;
    this.directoryNow = undefined;
    this.store = undefined;
  }

  /** Whether {@link merge} has something to do now. */
  get isMergeDue(): boolean {
    return this.credit > 0 && this.nextTarget() !== undefined;
  }

  /** One step of the merge that is due, as far as the entries added so far pay for it. The caller holds the transaction. */
  merge(): void {
    const target = this.nextTarget();
    if (target === undefined) return;
    const { kind } = target;
    this.credit -= mergeStep(this.runs, this.lookup, target, this.limits.step, (a, b) => this.sameHash(kind, a, b));
    this.startMerge(kind, target.level);
    if (this.nextTarget() === undefined) this.credit = 0;
  }

  private get runs(): RunStore {
    return (this.store ??= new RunStore(this.connection, this.directory, this.limits.page));
  }

  private of(kind: HashKind): PendingEntries {
    return this.pending.get(kind) as PendingEntries;
  }

  private removeAll(kind: HashKind, entries: readonly Entry[]): void {
    const recent = new Removal(this.connection, this.lookup, this.runs).remove(kind, entries);
    this.recent.set(kind, this.recentCount(kind) - recent);
  }

  private fingerprintsOfRecent(kind: HashKind): Set<number> {
    let known = this.recentFingerprints.get(kind);
    if (known === undefined) {
      known = new Set(this.recentOf.all(kind).map(([fingerprint]) => fingerprint));
      this.recentFingerprints.set(kind, known);
    }
    return known;
  }

  private recentCount(kind: HashKind): number {
    return this.recent.get(kind) ?? this.countRecent.get(kind)?.[0] ?? 0;
  }

  /** Too many for the small tree become a run at once, together with those that are in it. */
  private write(kind: HashKind, pending: PendingEntries): void {
    const count = this.recentCount(kind) + pending.size;
    if (count < this.limits.recent) {
      const { fingerprints, ids } = pending.sorted();
      const known = this.fingerprintsOfRecent(kind);
      ids.forEach((id, i) => {
        this.insertRecent.run(kind, fingerprints[i] as number, id);
        known.add(fingerprints[i] as number);
      });
      this.recent.set(kind, count);
      return;
    }
    const entries = pending.sorted(this.recentOf.all(kind));
    this.runs.append(this.runs.newRun(kind, 0), entries);
    this.runs.nextGeneration();
    this.deleteRecent.run(kind);
    this.recentFingerprints.set(kind, new Set());
    this.recent.set(kind, 0);
    this.startMerge(kind, 0);
  }

  /** When a level has enough whole runs, they get a common target on the next one. */
  private startMerge(kind: HashKind, level: number): void {
    const whole = this.wholeRuns(kind, level);
    if (whole.length >= this.limits.fanIn) this.runs.aimAt(this.runs.newRun(kind, level + 1), whole);
  }

  /** Runs that neither are being merged nor take others in. */
  private wholeRuns(kind: HashKind, level: number): Run[] {
    const targets = this.targets();
    return this.directory.runs.filter(
      (run) => run.kind === kind && run.level === level && run.target === undefined && !targets.has(run.run),
    );
  }

  /** The lowest level first, because its runs are the most. */
  private nextTarget(): Run | undefined {
    const targets = this.targets();
    let next: Run | undefined;
    for (const run of this.directory.runs) {
      if (targets.has(run.run) && (next === undefined || run.level < next.level)) next = run;
    }
    return next;
  }

  private targets(): Set<number> {
    return new Set(this.directory.runs.flatMap(({ target }) => (target === undefined ? [] : [target])));
  }
}
