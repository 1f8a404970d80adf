import { z } from 'zod';
import { hex } from '../scalars';

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A member that counts as an unsigned integer, however large, and is ignored as anything else: a number inside. */
const unsignedOrIgnored = z
  .codec(z.bigint().min(0n), z.int(), { decode: (value) => Number(value < HIGHEST ? value : HIGHEST), encode: BigInt })
  .optional()
  .catch(undefined);

/** The body of POST /pow. */
export const submission = z.object({
  /** The serialized prefix, which ends with the nonce tag and 8 bytes. */
  prefix: hex,
  /** Milliseconds; counts before `wait_ms` of the query. */
  wait_ms: unsignedOrIgnored,
  /** The block index whose rule prices the job; the newest rule without it. */
  height: unsignedOrIgnored,
});
