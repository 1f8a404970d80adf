import { z } from 'zod';
import { first } from './query';

/** GET /api/1/qr: the query. */
export const qrQuery = z.object({
  address: first(z.string())
    .optional()
    .meta({ type: 'string', description: 'Address, plain or integrated: 98, 120 or 186 characters' }),
});
