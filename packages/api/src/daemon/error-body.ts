import { z } from 'zod';
import { integer } from '../scalars';

/** The body of a refusal of the daemon. */
export const daemonErrorBody = z.union([
  z
    .object({ status: z.literal('Failed'), error: z.string(), kept_after: integer, latest: integer })
    .meta({ description: 'Events are gone: reading may go on after either number' }),
  z.object({ status: z.enum(['Failed', 'BUSY']), error: z.string() }),
  z.object({ errorCode: integer, errorMessage: z.string() }).meta({ description: 'An error as wallets know it' }),
]);
