import { z } from 'zod';
import { hash } from '../../scalars';
import { transactionPrefixObject } from './transaction-prefix';

/** A transaction of the pool and block queries: its id, and all of it but the signatures. */
export const transactionPrefixInfoObject = z.object({
  'transactionPrefixInfo.txHash': hash,
  'transactionPrefixInfo.txPrefix': transactionPrefixObject,
});
