import { z } from 'zod';

/** GET /. */
export const powRootAnswer = z.object({
  endpoints: z.array(z.string()),
  name: z.literal('wrkz-txpow-server'),
  version: z.string(),
});
