import { z } from 'zod';
import { integer, statusOk } from '../../scalars';

/** The answer of `/height` and `/getheight`: counts, and no hash (miners of the Monero line read its absence). */
export const heightAnswer = z.object({ height: integer, network_height: integer, status: statusOk });
