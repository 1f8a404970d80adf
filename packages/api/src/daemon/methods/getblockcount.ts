import { z } from 'zod';
import { integer, statusOk } from '../../scalars';

export const blockCountResult = z.object({
  count: integer.meta({ description: 'Index of the tip + 1' }),
  status: statusOk,
});
