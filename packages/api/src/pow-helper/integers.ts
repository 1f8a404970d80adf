import { z } from 'zod';

/** An integer from 0 to 2^53 - 1: a bigint as parsed from JSON, a number for whoever works with it. */
export const powCount = z.codec(z.bigint().min(0n).max(BigInt(Number.MAX_SAFE_INTEGER)), z.int().min(0), {
  decode: Number,
  encode: BigInt,
});

/** An integer from 0 on that stays a bigint, such as hashes or a difficulty. */
export const powBigCount = z.bigint().min(0n);
