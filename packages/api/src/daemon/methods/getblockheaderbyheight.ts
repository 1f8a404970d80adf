import { z } from 'zod';
import { integer } from '../../scalars';

export const blockHeaderByHeightParams = z.object({ height: integer.meta({ description: 'An index' }) });
