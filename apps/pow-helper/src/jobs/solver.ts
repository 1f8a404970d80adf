import { checkHash, powHash, searchNonce } from '@wrkz/crypto';
import { TX_POW_ALGORITHM } from '@wrkz/consensus';
import { NONCE_SIZE } from '../prefix';
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
  const found = await searchNonce({
    algorithm: TX_POW_ALGORITHM,
    data: spec.prefix,
    nonceOffset: spec.prefix.length - NONCE_SIZE,
    nonceSize: NONCE_SIZE,
    difficulty: spec.difficulty,
    threads,
    signal,
    onProgress,
  });
  if (found === null || !verifies(spec, found.nonceBytes)) throw new Error('the search gave no valid nonce');
  return { nonce: found.nonceBytes, hashes: found.hashes };
};

function verifies(spec: JobSpec, nonce: Buffer): boolean {
  const filled = Buffer.concat([spec.prefix.subarray(0, -NONCE_SIZE), nonce]);
  return checkHash(powHash(TX_POW_ALGORITHM, filled), spec.difficulty);
}
