import { z } from 'zod';
import { addressText, statusOk, uint64 } from '../../scalars';

/** The answer of `/fee`. */
export const feeAnswer = z.object({ address: addressText, amount: uint64, status: statusOk });
