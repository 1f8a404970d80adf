import { searchNonce } from '@wrkz/crypto';
import { transactionNonceMeets, transactionPowSearch } from '@wrkz/consensus';
import type { JobSpec } from './job';

export interface Solution {
  /** The 8 bytes as they stand at the end of the prefix. */
  readonly nonce: Buffer;
  readonly hashes: bigint;
}

export interface SolveOptions {
  /** Hashing threads; all of them work on this one job. */
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (hashes: bigint) => void;
}

/** Searches the nonce of a job; tests pass one of their own. */
export type Solver = (spec: JobSpec, options: SolveOptions) => Promise<Solution>;

/**
 * A solver around a search, none of whose answers is believed: the prefix is hashed once more with the nonce found before
 * it is handed out.
 * @throws AbortError when cancelled; Error when the nonce does not verify, which would be a fault of the search
 */
export function solverWith(search: typeof searchNonce): Solver {
  return async ({ prefix, difficulty }, { threads, signal, onProgress }) => {
    const found = await search({ ...transactionPowSearch(prefix, difficulty), threads, signal, onProgress });
    if (found === null || !transactionNonceMeets(prefix, found.nonceBytes, difficulty)) {
      throw new Error('the search gave no valid nonce');
    }
    return { nonce: found.nonceBytes, hashes: found.hashes };
  };
}

/** Searches on native threads. */
export const solve: Solver = solverWith(searchNonce);
