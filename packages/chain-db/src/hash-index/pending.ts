import type { Entries } from './page';

/** An entry that is not in the file yet; those of one fingerprint are chained. */
interface PendingEntry {
  readonly fingerprint: number;
  readonly id: number;
  readonly next: PendingEntry | undefined;
}

/** What one change adds to a kind, until the change ends. */
export class PendingEntries {
  private readonly entries: PendingEntry[] = [];
  private readonly byFingerprint = new Map<number, PendingEntry>();

  get size(): number {
    return this.entries.length;
  }

  add(fingerprint: number, id: number): void {
    const entry = { fingerprint, id, next: this.byFingerprint.get(fingerprint) };
    this.byFingerprint.set(fingerprint, entry);
    this.entries.push(entry);
  }

  ids(fingerprint: number): number[] {
    const ids: number[] = [];
    for (let entry = this.byFingerprint.get(fingerprint); entry !== undefined; entry = entry.next) ids.push(entry.id);
    return ids;
  }

  /** In ascending order, together with `others`. */
  sorted(others: readonly (readonly [fingerprint: number, id: number])[] = []): Entries {
    const all = [...this.entries];
    for (const [fingerprint, id] of others) all.push({ fingerprint, id, next: undefined });
    all.sort((a, b) => a.fingerprint - b.fingerprint || a.id - b.id);
    return {
      fingerprints: Float64Array.from(all, ({ fingerprint }) => fingerprint),
      ids: Uint32Array.from(all, ({ id }) => id),
    };
  }

  clear(): void {
    this.entries.length = 0;
    this.byFingerprint.clear();
  }
}
