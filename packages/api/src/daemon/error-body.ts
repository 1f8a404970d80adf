import { z } from 'zod';
import { integer } from '../scalars';

/** The body of a refusal of the daemon. */
export const daemonErrorBody = z.union([
  z.object({ status: z.enum(['Failed', 'BUSY']), error: z.string() }),
  z.object({ errorCode: integer, errorMessage: z.string() }).meta({ description: 'An error as wallets know it' }),
]);
