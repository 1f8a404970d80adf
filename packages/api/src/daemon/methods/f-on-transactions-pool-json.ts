import { z } from 'zod';
import { statusOk } from '../../scalars';
import { transactionRowObject } from '../records/transaction-row';

export const poolTransactionsResult = z.object({
  status: statusOk,
  transactions: z.array(transactionRowObject).meta({ description: 'In the order in which they would be mined' }),
});
