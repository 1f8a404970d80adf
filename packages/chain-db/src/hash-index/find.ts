import { CorruptDatabase } from '../errors';
import type { Fingerprints } from './fingerprint';
import { HASH_KIND_NAMES, type HashKind } from './kinds';

/** A look-up of the file alone, or one that knows what a change has not written yet. */
export interface HashSource {
  readonly fingerprints: Fingerprints;
  candidates(kind: HashKind, hash: Buffer): number[];
}

/**
 * The row that has this hash.
 *
 * @param hashOf the hash of a row; undefined when there is no such row
 * @throws CorruptDatabase when a row has not even the fingerprint by which it was found: it, or the look-up, is damaged, and
 *   to answer "unknown" could let an output be spent twice
 */
export function findRow(
  source: HashSource,
  kind: HashKind,
  hash: Buffer,
  hashOf: (id: number) => Buffer | undefined,
): number | undefined {
  for (const id of source.candidates(kind, hash)) {
    const found = hashOf(id);
    if (found === undefined) continue;
    if (found.equals(hash)) return id;
    if (source.fingerprints.of(found) !== source.fingerprints.of(hash)) {
      throw new CorruptDatabase(`the look-up of ${HASH_KIND_NAMES[kind]} leads to row ${id}, which has another one`);
    }
  }
  return undefined;
}
