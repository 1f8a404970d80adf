import { z } from 'zod';

/** A member that counts as an unsigned integer and is ignored as anything else. */
const ignoredUnlessUnsigned = z.bigint().min(0n).optional().catch(undefined);

/** The body of POST /pow. */
export const powSubmission = z.object({
  /** Hex of the serialized prefix, which ends with the nonce tag and 8 bytes. */
  prefix: z.string().regex(/^(?:[0-9a-fA-F]{2})*$/),
  /** Milliseconds; counts before `wait_ms` of the query. */
  wait_ms: ignoredUnlessUnsigned,
  /** The block index whose rule prices the job; the newest rule without it. */
  height: ignoredUnlessUnsigned,
});
