import { searchNonce } from '@wrkz/crypto';
import { transactionNonceMeets, transactionPowSearch } from '@wrkz/consensus';
import type { JobSpec } from './job';

export interface Solution {
  /** The 8 bytes as they stand at the end of the prefix. */
  readonly nonce: Buffer;
  readonly hashes: bigint;
}

export interface SolveOptions {
  /** Hashing threads; all of them work on the one job. */
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (hashes: bigint) => void;
}

/** Searches a job's nonce; tests put their own in place. */
export type Solver = (spec: JobSpec, options: SolveOptions) => Promise<Solution>;

/**
 * Searches over all threads and hashes the prefix with the nonce found once more before giving it away.
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
