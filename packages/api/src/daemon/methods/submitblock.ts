import { z } from 'zod';
import { hex, statusOk } from '../../scalars';

export const submitBlockParams = z.tuple([hex.meta({ title: 'block', description: 'The block in hex' })]);

export const submitBlockResult = z.object({ status: statusOk });
