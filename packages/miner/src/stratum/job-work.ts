import { stratumApi } from '@wrkz/api';
import { MAX_UINT64, miningAlgorithm } from '@wrkz/core-types';
import type { FoundNonce } from '@wrkz/crypto';
import type { MiningWork } from '../work';

/** Where the nonce stands in every blob of this family of coins. */
const NONCE_OFFSET = 39;
const NONCE_SIZE = 4;
/** What is mined when a server does not name it: what today's blocks take. */
const PRESENT_ALGORITHM = 'cn/upx2';

/** @throws Error for a job that cannot be mined */
export function jobWork(
  message: unknown,
  submit: (job: stratumApi.StratumJobMessage, found: FoundNonce) => Promise<void>,
): MiningWork {
  const job = stratumApi.stratumJob.parse(message);
  const algorithm = miningAlgorithm(job.algo ?? PRESENT_ALGORITHM);
  if (algorithm === undefined) throw new Error(`the algorithm ${JSON.stringify(job.algo)} is not known here`);
  const data = Buffer.from(job.blob, 'hex');
  if (data.length < NONCE_OFFSET + NONCE_SIZE) throw new Error('the blob of a job has no space for a nonce');
  return {
    algorithm,
    data,
    nonceOffset: NONCE_OFFSET,
    difficulty: targetDifficulty(job.target),
    height: job.height,
    manyNonces: true,
    submit: (found) => submit(job, found),
  };
}

/**
 * The difficulty that a target of 4 or 8 bytes was made from.
 * @param target hex, little-endian
 * @throws RangeError for a target of 0, which no hash lies below
 */
export function targetDifficulty(target: string): bigint {
  const bytes = Buffer.from(target, 'hex');
  const [value, largest] =
    bytes.length === 4 ? [BigInt(bytes.readUInt32LE()), 0xffff_ffffn] : [bytes.readBigUInt64LE(), MAX_UINT64];
  if (value === 0n) throw new RangeError('the target of a job is 0');
  return largest / value;
}
