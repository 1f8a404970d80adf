import { lastUpTo, type RunDirectory } from './directory';
import type { Fingerprints } from './fingerprint';
import type { HashKind } from './kinds';

/** From so many on, looking them up together costs less. */
const FEW = 64;

const NO_PAGES: readonly number[] = [];

/**
 * Where the runs may hold hashes that are about to be asked for. They are looked up together, in ascending order of their
 * fingerprints, so that filter after filter is touched: asked for one by one, each waits for the memory once a run, and
 * the runs grow in number with the chain.
 */
export class ExpectedHashes {
  private constructor(
    private readonly kind: HashKind,
    private readonly generation: number,
    private readonly fingerprints: readonly number[],
    private readonly pagesOf: ReadonlyMap<number, readonly number[]>,
  ) {}

  /** @returns undefined when they are too few for it to pay */
  static find(
    kind: HashKind,
    hashes: readonly Buffer[],
    fingerprints: Fingerprints,
    directory: RunDirectory,
  ): ExpectedHashes | undefined {
    if (hashes.length < FEW) return undefined;
    const ascending = Array.from(Float64Array.from(hashes, (hash) => fingerprints.of(hash)).sort());
    return new ExpectedHashes(kind, directory.generation, ascending, directory.pagesOfMany(kind, ascending));
  }

  /** The pages that may hold an entry of the state `generation`; undefined when it was not expected, or not there. */
  pages(kind: HashKind, fingerprint: number, generation: number): readonly number[] | undefined {
    if (kind !== this.kind || generation !== this.generation) return undefined;
    if (this.fingerprints[lastUpTo(this.fingerprints, fingerprint)] !== fingerprint) return undefined;
    return this.pagesOf.get(fingerprint) ?? NO_PAGES;
  }
}
