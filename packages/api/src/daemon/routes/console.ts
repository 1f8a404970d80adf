import { z } from 'zod';
import { statusOk } from '../../scalars';

/** `POST /console`, on the local socket alone. */
export const consoleBody = z.object({
  command: z.string().meta({ description: 'A line as it is typed on the console' }),
});

export const consoleAnswer = z.object({
  output: z.string().meta({ description: 'Everything that the command printed' }),
  status: statusOk,
});
