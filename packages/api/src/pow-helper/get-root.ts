import { z } from 'zod';

/** GET /. */
export const rootAnswer = z.object({
  endpoints: z.array(z.string()),
  name: z.literal('wrkz-txpow-server'),
  version: z.string(),
});
