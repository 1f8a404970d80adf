import { z } from 'zod';
import { statusOk } from '../../scalars';

const endpoint = z.string().meta({ description: 'address:port, IPv6 in brackets' });

/** The answer of `/peers`. */
export const peersAnswer = z.object({ peers: z.array(endpoint), peers_gray: z.array(endpoint), status: statusOk });
