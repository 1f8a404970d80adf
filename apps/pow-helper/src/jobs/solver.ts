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
 * Searches on all threads, then hashes the prefix once more with the nonce found before handing it out.
 * @throws AbortError when cancelled; Error when the nonce does not verify, which would be a fault of the search
 */
export const solve: Solver = async (spec, { threads, signal, onProgress }) => {
  const { prefix, difficulty } = spec;
  const found = await searchNonce({ ...transactionPowSearch(prefix, difficulty), threads, signal, onProgress });
  if (found === null || !transactionNonceMeets(prefix, found.nonceBytes, difficulty)) {
    throw new Error('the search gave no valid nonce');
  }
  return { nonce: found.nonceBytes, hashes: found.hashes };
};
