import { z } from 'zod';
import { hash } from '../../scalars';

export const blockHeaderByHashParams = z.object({ hash });
